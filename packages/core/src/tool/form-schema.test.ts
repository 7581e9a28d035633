import { expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../json.js";
import { formProblems } from "./form-schema.js";
import { type AnySchema, toJsonSchema } from "./schema.js";

const form = (schema: AnySchema) => formProblems(toJsonSchema(schema, "input", "a question"));
const field = "must be a text, a number, true or false, a choice or a list of choices";

it("takes what MCP's forms have: texts, numbers, booleans, choices and lists of choices, with titles and without", () => {
  const titled: readonly JsonObject[] = [
    { const: "a", title: "A" },
    { const: "b", title: "B" },
  ];
  const fields: Readonly<Record<string, JsonObject>> = {
    choice: { type: "string", enum: ["a", "b"] },
    named: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    titled: { type: "string", oneOf: titled },
    several: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    titles: { type: "array", items: { anyOf: titled } },
    day: { type: "string", format: "date" },
  };
  expect(formProblems({ type: "object", properties: fields })).toEqual([]);
  expect(formProblems({ type: "object" })).toEqual([]);
  const shape = {
    ...{ text: z.string().optional(), whole: z.int().default(1), much: z.number(), sure: z.boolean(), mail: z.email() },
    ...{ kind: z.enum(["a", "b"]), kinds: z.array(z.enum(["a", "b"])), one: z.literal("a") },
    either: z.union([z.literal("a"), z.literal("b")]),
  };
  expect(form(z.object(shape))).toEqual([]);
});

it.each([
  ["an object", z.object({ street: z.string() })],
  ["a list of texts", z.array(z.string())],
  ["a list of objects", z.array(z.object({ street: z.string() }))],
  ["a record", z.record(z.string(), z.string())],
  ["what may be null", z.string().nullable()],
  ["one of several kinds", z.union([z.string(), z.number()])],
  ["anything", z.unknown()],
])("refuses %s in a form, by its name", (_what, address) => {
  expect(form(z.object({ name: z.string(), address }))).toEqual([`"address" ${field}`]);
});

it("refuses what is not an object", () => {
  const problem = "its schema must be an object, such as z.object({ … })";
  expect([form(z.string()), form({}), form({ type: "array" })]).toEqual([[problem], [problem], [problem]]);
});
