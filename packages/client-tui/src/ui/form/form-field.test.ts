import { describe, expect, it } from "vitest";
import { fieldKey, fieldsOfObject } from "./form-field.js";

const field = (schema: object, root: object = {}) => {
  const whole = { type: "object", properties: { x: { ...schema } }, ...root };
  const [only] = fieldsOfObject(whole, whole);
  if (only === undefined) throw new Error("There is no field.");
  return only;
};

describe("a field of a form", () => {
  it.each([
    ["text", { type: "string" }],
    ["text", { type: ["string", "null"] }],
    ["number", { type: "number" }],
    ["integer", { type: "integer" }],
    ["boolean", { type: "boolean" }],
    ["choice", { enum: ["a", "b"] }],
    ["choice", { oneOf: [{ const: 1, title: "one" }] }],
    ["list", { type: "array", items: { type: "string" } }],
    ["json", { type: "array" }],
    ["group", { type: "object", properties: { a: {} } }],
    ["json", { type: "object" }],
    ["json", {}],
    ["text", { oneOf: [{ const: 1 }, { type: "string" }] }],
  ])("is %s for %j", (kind, schema) => {
    expect(field(schema).kind).toBe(kind);
  });

  it("has the names that a schema gives to the values of a choice", () => {
    expect([
      field({ enum: ["s", "l"], enumNames: ["small"] }).options,
      field({ anyOf: [{ const: 1, title: "one" }, { const: 2 }] }).options,
      field({ type: "boolean" }).options,
    ]).toEqual([
      [
        { value: "s", label: "small" },
        { value: "l", label: "l" },
      ],
      [
        { value: 1, label: "one" },
        { value: 2, label: "2" },
      ],
      [
        { value: true, label: "true" },
        { value: false, label: "false" },
      ],
    ]);
  });

  it("is what it refers to within the schema, and keywords next to that win", () => {
    const $defs = { size: { type: "integer", title: "Size", description: "in bytes" } };
    expect(field({ $ref: "#/$defs/size", title: "Width" }, { $defs })).toMatchObject({
      kind: "integer",
      label: "Width",
      description: "in bytes",
    });
    expect(field({ $ref: "http://example.com/schema" }, { $defs }).kind).toBe("json");
  });

  it("keeps its key, whatever is in it", () => {
    const properties = { "a/b~c": { type: "string" } };
    const [only] = fieldsOfObject({ type: "object", properties }, {});
    expect([only?.path, only === undefined ? "" : fieldKey(only)]).toEqual(["/a~1b~0c", "a/b~c"]);
  });

  it("is not there for what the client says itself, but within other objects", () => {
    const schema = { properties: { client_id: { type: "string" } } };
    expect([fieldsOfObject(schema, schema).length, fieldsOfObject(schema, schema, "/a", 1).length]).toEqual([0, 1]);
  });
});
