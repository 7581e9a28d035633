import { describe, expect, it } from "vitest";
import { nestedSchema, nestedShape, plainSchema, plainShape } from "../../../test/form-shapes.js";
import { formLines } from "./form-draft.js";
import { initialFormState } from "./form-state.js";

describe("the lines of a form", () => {
  it("has a line for every property but the client's own, with defaults and what was given before", () => {
    const filled = initialFormState(plainShape, { name: "before" });
    expect(formLines(plainSchema, filled).map(({ path, kind }) => [path, kind, filled.texts[path]])).toEqual([
      ["/n", "integer", "5"],
      ["/name", "text", "before"],
      ["/sure", "boolean", ""],
      ["/kind", "choice", "a"],
      ["/list", "json", ""],
    ]);
  });

  it("shows what holds something above what it holds", () => {
    const state = initialFormState(nestedShape, { people: [{ name: "x" }], level: 2 });
    expect(
      formLines(nestedSchema, state).map(({ label, depth, kind, path }) => [label, depth, kind, state.texts[path]]),
    ).toEqual([
      ["source", 0, "group", undefined],
      ["url", 1, "text", ""],
      ["depth", 1, "integer", ""],
      ["people", 0, "list", undefined],
      ["1", 1, "group", undefined],
      ["name", 2, "text", "x"],
      ["level", 0, "choice", "high"],
    ]);
  });

  it("ends where a schema contains itself", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const endless = { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } };
    expect(formLines(endless, { counts: {} }).map(({ kind }) => kind)).toEqual([
      "group",
      "group",
      "group",
      "group",
      "json",
    ]);
  });
});
