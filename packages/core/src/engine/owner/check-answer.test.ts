import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../json.js";
import { checkAnswer } from "./check-answer.js";

const problems = (property: JsonObject, value: Json) =>
  checkAnswer({ type: "object", properties: { it: property } }, { it: value });

describe("checkAnswer", () => {
  it.each<[string, JsonObject, Json, string | undefined]>([
    ["text", { type: "string" }, "x", undefined],
    ["a number for text", { type: "string" }, 1, "must be text"],
    ["a text that is too short", { type: "string", minLength: 2 }, "x", "must have at least 2 characters"],
    ["a text that is too long", { type: "string", maxLength: 2 }, "xxx", "must have at most 2 characters"],
    ["a whole number", { type: "integer" }, 3, undefined],
    ["a fraction for a whole number", { type: "integer" }, 1.5, "must be a whole number"],
    ["a text for a number", { type: "number" }, "1", "must be a number"],
    ["a number that is too small", { type: "number", minimum: 2 }, 1, "must be at least 2"],
    ["a number at its lower bound", { type: "number", minimum: 2 }, 2, undefined],
    ["a number at its upper bound", { type: "number", maximum: 2 }, 2, undefined],
    ["a number that is too large", { type: "number", maximum: 2 }, 3, "must be at most 2"],
    ["a boolean", { type: "boolean" }, false, undefined],
    ["a text for a boolean", { type: "boolean" }, "false", "must be true or false"],
    ["one of a list", { type: "string", enum: ["a", "b"] }, "b", undefined],
    ["none of a list", { type: "string", enum: ["a", "b"] }, "c", "must be one of a, b"],
    ["one of a list with titles", { type: "string", oneOf: [{ const: "a", title: "A" }] }, "a", undefined],
    ["none of a list with titles", { type: "string", oneOf: [{ const: "a", title: "A" }] }, "A", "must be one of a"],
    ["several of a list", { type: "array", items: { enum: ["a", "b"] } }, ["a", "b"], undefined],
    ["one wrong of several", { type: "array", items: { anyOf: [{ const: "a" }] } }, ["a", "x"], "[1] must be one of a"],
    ["too few", { type: "array", minItems: 1 }, [], "must have at least 1 entries"],
    ["too many", { type: "array", maxItems: 1 }, [1, 2], "must have at most 1 entries"],
    ["no list", { type: "array" }, "a", "must be a list"],
  ])("judges %s", (_what, property, value, problem) => {
    expect(problems(property, value)).toEqual(problem === undefined ? [] : [`it: ${problem}`]);
  });

  it("misses what is required, and refuses what is not asked for where the schema is closed", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a", "toString"] };
    expect(checkAnswer(schema, { b: 1 })).toEqual(["a: is required", "toString: is required"]);
    expect(checkAnswer({ ...schema, required: [], additionalProperties: false }, { b: 1, constructor: 1 })).toEqual([
      "b: is not asked for",
      "constructor: is not asked for",
    ]);
    expect(checkAnswer({}, { anything: true })).toEqual([]);
  });
});
