import { describe, expect, it } from "vitest";
import { schemaErrors } from "./schema-errors.js";

/** Twice as long for each character more: this value takes longer than anybody lives. */
const endless = "^(([a-z])+.)+[A-Z]([a-z])+$";
const value = "a".repeat(200);

function schemaOf(patterns: readonly string[]) {
  const properties = Object.fromEntries(patterns.map((pattern, index) => [`v${index}`, { type: "string", pattern }]));
  return { type: "object", properties };
}

describe("what a schema finds wrong", () => {
  it("is found by the path of the value", () => {
    expect(schemaErrors(schemaOf(["^[a-z]+$"]), { v0: "A1" })).toEqual({ "/v0": "must match ^[a-z]+$" });
  });

  it("is left to the server where a pattern would never end, and the other fields are still checked", () => {
    const schema = schemaOf([endless, "^b"]);
    const found = { "/v1": "must match ^b" };
    expect([schemaErrors(schema, { v0: value, v1: "a" }), schemaErrors(schema, { v0: value, v1: "a" })]).toEqual([
      found,
      found,
    ]);
  });

  it("is left to the server wholly where many patterns would never end", () => {
    const slow = Array.from({ length: 40 }, (_, index) => `${endless}|${index}{900}`);
    const values = Object.fromEntries(slow.map((_, index) => [`v${index}`, value]));
    expect(schemaErrors(schemaOf(slow), values)).toEqual({});
  });

  it("is nothing where a pattern is none, or a property's name would never end", () => {
    expect(schemaErrors(schemaOf(["("]), { v0: "a" })).toEqual({});
    expect(schemaErrors({ type: "object", patternProperties: { [endless]: false } }, { b: 1 })).toEqual({});
  });

  it.each([
    [{ minLength: 1 }, "", "needs at least 1 character"],
    [{ minLength: 2 }, "a", "needs at least 2 characters"],
    [{ maxLength: 1 }, "ab", "can have at most 1 character"],
    [{ format: "email" }, "a", "has to have the format email"],
    [{ pattern: "^.+@.+$", format: "email" }, "a", "has to have the format email"],
    [{ minItems: 1 }, [], "needs at least 1 entry"],
    [{ maxItems: 2 }, [1, 2, 3], "can have at most 2 entries"],
    [{ exclusiveMinimum: 1 }, 1, "has to be more than 1"],
    [{ exclusiveMaximum: 1 }, 1, "has to be less than 1"],
    [{ maximum: 1 }, 2, "has to be at most 1"],
    [{ const: 1 }, 2, "has to be equal to constant"],
    [{ type: "object", additionalProperties: false }, { a: 1 }, "has no field a"],
  ])("is a sentence: %j of %j %s", (schema, given, sentence) => {
    expect(schemaErrors({ type: "object", properties: { v: schema } }, { v: given })).toEqual({ "/v": sentence });
  });
});
