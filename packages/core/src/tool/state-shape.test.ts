import { describe, expect, it } from "vitest";
import { describeStateShape, fitsShape } from "./state-shape.js";

describe("the shape of a first state", () => {
  it.each([
    ["a number", 3, '"number"'],
    ["names in order, types for values", { b: "x", a: 1, c: true }, '{"a":"number","b":"string","c":"boolean"}'],
    ["parts within parts", { at: { file: "", line: 0 } }, '{"at":{"file":"string","line":"number"}}'],
    ["a list by its elements", { rows: [1, 2] }, '{"rows":["number"]}'],
    ["a list of unlike elements as any list", { rows: [1, "x"] }, '{"rows":[]}'],
    ["what says nothing", { rows: [], seen: {}, last: null, note: undefined }, '{"last":null,"rows":[],"seen":{}}'],
  ])("is %s", (_title, state, shape) => {
    expect(describeStateShape(state)).toBe(shape);
  });

  it("is not known where it would be very long", () => {
    expect(
      describeStateShape(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`name${index}`, 0]))),
    ).toBe(undefined);
  });

  it.each([
    ["other values", { at: 0 }, { at: 7 }, true],
    ["another order of names", { at: 0, line: 1 }, { line: 1, at: 0 }, true],
    ["a name whose value is undefined", { at: 0 }, { at: 0, note: undefined }, true],
    ["a value in place of null", { last: null }, { last: "row" }, true],
    ["null in place of a value", { last: { row: 1 } }, { last: null }, true],
    ["elements in an empty list", { rows: [] }, { rows: [{ id: 1 }] }, true],
    ["names in an empty object", { seen: { a: 1 } }, { seen: {} }, true],
    ["another name", { next: 0 }, { at: 0 }, false],
    ["one name more", { at: 0 }, { at: 0, file: "" }, false],
    ["one name less", { at: 0, file: "" }, { at: 0 }, false],
    ["another type", { at: 0 }, { at: "0" }, false],
    ["a list in place of an object", { rows: {} }, { rows: [] }, false],
    ["other elements", { rows: [1] }, { rows: ["1"] }, false],
    ["a change within", { at: { line: 0 } }, { at: { row: 0 } }, false],
  ])("with %s: %j, %j", (_title, before, now, expected) => {
    expect(fitsShape(describeStateShape(before), describeStateShape(now))).toBe(expected);
  });

  it("fits where one is not known", () => {
    expect([fitsShape(undefined, '"number"'), fitsShape('"number"', undefined)]).toEqual([true, true]);
  });
});
