import type { JsonObject } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import { findError, initialValues, readFields, readForm } from "./form.js";

const schema: JsonObject = {
  type: "object",
  required: ["reviewer", "copies"],
  properties: {
    reviewer: { type: "string", minLength: 2, maxLength: 5, title: "Reviewer" },
    copies: { type: "integer", minimum: 1, maximum: 9, default: 1 },
    share: { type: "number" },
    urgent: { type: "boolean", default: false },
    language: { type: "string", enum: ["de", "en"], enumNames: ["German", "English"] },
    size: { type: "string", oneOf: [{ const: "s", title: "small" }, { const: "l" }] },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    level: { enum: [1, 2] },
  },
};
const fields = readFields(schema);
const first = initialValues(fields);

describe("a question's form", () => {
  it("has a field for each property of the schema, with its default", () => {
    expect(fields.map(({ key, kind, required }) => [key, kind, required, first[key]])).toEqual([
      ["reviewer", "text", true, ""],
      ["copies", "integer", true, "1"],
      ["share", "number", false, ""],
      ["urgent", "boolean", false, "false"],
      ["language", "choice", false, ""],
      ["size", "choice", false, ""],
      ["tags", "many", false, []],
      ["level", "choice", false, ""],
    ]);
    expect(fields.flatMap(({ options }) => options.map(({ label }) => label))).toEqual([
      ..."German English small l a b 1 2".split(" "),
    ]);
  });

  it("is read as the values that the schema means", () => {
    const values = { ...first, reviewer: "Ada", share: "0,5", urgent: "true", language: "de", tags: ["b"], level: "2" };
    expect(readForm(fields, values)).toEqual({
      content: { reviewer: "Ada", copies: 1, share: 0.5, urgent: true, language: "de", tags: ["b"], level: 2 },
      errors: {},
    });
  });

  it.each([
    ["reviewer", "", { name: "required", limit: 0 }],
    ["reviewer", "a", { name: "minLength", limit: 2 }],
    ["reviewer", "😀😀😀😀😀😀", { name: "maxLength", limit: 5 }],
    ["copies", "1.5", { name: "integer", limit: 0 }],
    ["copies", "0", { name: "minimum", limit: 1 }],
    ["copies", "10", { name: "maximum", limit: 9 }],
    ["share", "much", { name: "number", limit: 0 }],
  ])("says what is wrong with %s = %j", (key, text, error) => {
    expect(readForm(fields, { ...first, reviewer: "Ada", [key]: text }).errors).toEqual({ [key]: error });
  });

  it("takes what no field fits as JSON, and a needed list may be empty", () => {
    const odd = readFields({
      required: ["list"],
      properties: { any: {}, list: { type: "array", items: { enum: ["a"] } } },
    });
    expect(readForm(odd, { any: '{"a":[1]}', list: [] })).toEqual({
      content: { any: { a: [1] }, list: [] },
      errors: {},
    });
    expect(readForm(odd, { any: "{", list: [] }).errors).toEqual({ any: { name: "json", limit: 0 } });
  });

  it("has defaults without any character that hides or turns, and of bounded length", () => {
    const odd = readFields({
      properties: {
        a: { type: "string", default: "\u202egnp.exe" },
        b: { type: "string", default: "x".repeat(1_000_000) },
      },
    });
    const { a, b } = initialValues(odd);
    expect([a, b?.length]).toEqual([" gnp.exe", 4_000]);
  });

  it("shows so many fields and options and no more, as harmless text", () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`\u202e${index}`, { type: "string" }]),
    );
    const wide = {
      properties: { ...many, choice: { enum: Array.from({ length: 10_000 }, (_, index) => `${index}`) } },
    };
    expect([readFields(wide).length, readFields(wide)[0]?.label]).toEqual([100, "0"]);
    const [choice] = readFields({ properties: { choice: wide.properties.choice } as JsonObject });
    expect(choice?.options).toHaveLength(500);
  });

  it("has fields that are called like the members of every object", () => {
    const names = ["constructor", "toString", "__proto__", "hasOwnProperty"];
    const odd = readFields({
      properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 2 }])),
    });
    const filled = Object.fromEntries(names.map((name) => [name, "yes"]));
    const { content, errors } = readForm(odd, filled);
    expect([Object.entries(content), Object.keys(errors)]).toEqual([names.map((name) => [name, "yes"]), []]);
    expect(names.map((name) => findError(errors, name))).toEqual(names.map(() => undefined));
    expect(findError(readForm(odd, { ...filled, constructor: "x" }).errors, "constructor")).toEqual({
      name: "minLength",
      limit: 2,
    });
  });

  it("is empty for a schema that is not one", () => {
    expect([readFields({}), readFields({ properties: [] }), readFields({ properties: { a: 1 } })]).toMatchObject([
      [],
      [],
      [{ key: "a", kind: "json" }],
    ]);
  });
});
