import { describe, expect, it } from "vitest";
import { nestedSchema, nestedShape, plainSchema, plainShape } from "../../../test/form-shapes.js";
import { readForm } from "./form-draft.js";
import { initialFormState } from "./form-state.js";

describe("what a form says", () => {
  const first = initialFormState(plainShape, { name: "before" });

  it.each([
    ["/n", "many", "has to be a number"],
    ["/n", "1.5", "has to be a whole number"],
    ["/n", "0", "has to be at least 1"],
    ["/n", "", "is required"],
    ["/name", "Not Lower", "must match ^[a-z]+$"],
    ["/kind", "c", "has to be one of a, b"],
    ["/list", "[", "has to be JSON"],
  ])("says what is wrong with %s = %j", (path, text, error) => {
    const texts = { ...first.texts, "/sure": "true", [path]: text };
    expect(readForm(plainSchema, { ...first, texts }).errors).toEqual({ [path]: error });
  });

  it("leaves out an optional object in which nothing stands, and needs all of one that is begun", () => {
    const empty = initialFormState(nestedShape);
    expect(readForm(nestedSchema, empty)).toEqual({ values: {}, errors: {} });
    const begun = { ...empty, texts: { ...empty.texts, "/source/depth": "3" } };
    expect(readForm(nestedSchema, begun).errors).toEqual({ "/source/url": "is required" });
  });

  it("is the values in the shape of the schema", () => {
    const state = initialFormState(nestedShape, { people: [{ name: "x" }], level: 2 });
    expect(readForm(nestedSchema, state)).toEqual({ values: { people: [{ name: "x" }], level: 2 }, errors: {} });
  });

  it("lets a schema that no validator understands be the server's affair", () => {
    const strange = { type: "object", properties: { x: { type: "string", pattern: "(" } } };
    const state = initialFormState({ schema: strange, buttons: [] }, { x: "y" });
    expect(readForm(strange, state)).toEqual({ values: { x: "y" }, errors: {} });
  });
});
