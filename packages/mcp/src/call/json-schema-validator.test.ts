import { expect, test } from "vitest";
import { createJsonSchemaValidator } from "./json-schema-validator.js";

test("a schema without a dialect is JSON Schema 2020-12, and one that names draft-07 is that", async () => {
  const validate = createJsonSchemaValidator();
  const pair = { prefixItems: [{ type: "string" }] };
  expect(await validate(pair, [1])).toEqual(["data/0 must be string"]);
  expect(await validate({ ...pair, $schema: "http://json-schema.org/draft-07/schema#" }, [1])).toEqual([]);
});

test("two schemas of one $id are each checked by themselves", async () => {
  const validate = createJsonSchemaValidator();
  const [first, second] = ["a", "b"].map((key) => ({ $id: "https://example.com/input", required: [key] }));
  expect(await validate(first ?? {}, { a: 1 })).toEqual([]);
  expect(await validate(second ?? {}, { a: 1 })).toEqual(["data must have required property 'b'"]);
});

test("formats are checked", async () => {
  const validate = createJsonSchemaValidator();
  const schema = { type: "string", format: "date" };
  expect(await validate(schema, "2026-02-30")).toEqual(['data must match format "date"']);
  expect(await validate(schema, "2026-02-28")).toEqual([]);
});
