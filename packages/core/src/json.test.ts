import { describe, expect, it } from "vitest";
import { canonicalJson, copyJson, isolate, type Json, jsonBytes, lengthAtLeast } from "./json.js";

describe("copyJson", () => {
  it("copies what JSON keeps, and shares nothing with it", () => {
    const value = { list: [1, "two", null, { three: true }], empty: {}, text: "ü\u2028" };
    const copied = copyJson(value, "value");
    expect(copied).toEqual(value);
    value.list.push(5);
    expect(copied).toMatchObject({ list: [1, "two", null, { three: true }] });
  });

  it("drops properties that are undefined, keeps odd keys, and keeps zero without its sign", () => {
    const odd = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const copied = copyJson({ gone: undefined, zero: -0, odd }, "value");
    expect(JSON.stringify(copied)).toBe('{"zero":0,"odd":{"__proto__":{"polluted":true},"constructor":1}}');
    expect("polluted" in {}).toBe(false);
    expect(Object.is((copied as { zero: number }).zero, 0)).toBe(true);
  });

  const loop: { self?: unknown } = {};
  loop.self = loop;
  it.each<[string, unknown, string, string]>([
    ["Infinity", { a: [1, Number.POSITIVE_INFINITY] }, ".a[1]", "Infinity"],
    ["NaN", Number.NaN, "", "NaN"],
    ["a date", { at: new Date(0) }, ".at", "an instance of Date"],
    ["a set", { seen: new Set() }, ".seen", "an instance of Set"],
    ["undefined in a list", [undefined], "[0]", "undefined"],
    ["a hole in a list", new Array(1), "[0]", "undefined"],
    ["a bigint", { n: 1n }, ".n", "bigint"],
    ["a function", { f: () => 1 }, ".f", "function"],
    ["a symbol", Symbol("s"), "", "symbol"],
    ["a cycle", { loop }, ".loop.self", "a reference to itself"],
  ])("refuses %s and says where it is (G3.2)", (_what, value, path, found) => {
    expect(() => copyJson(value, "state")).toThrow(
      expect.objectContaining({
        code: "NOT_JSON",
        details: { what: "state", path },
        message: expect.stringContaining(`state${path} is ${found},`),
      }),
    );
  });

  it("leaves out properties without a value or with a symbol for a name", () => {
    const value = { a: 1, b: undefined, ["__proto__"]: { c: [2] }, [Symbol("d")]: 3 };
    expect(copyJson(value, "value")).toStrictEqual(JSON.parse('{"a":1,"__proto__":{"c":[2]}}'));
    expect(Object.getOwnPropertySymbols(copyJson(value, "value"))).toEqual([]);
  });

  it("takes the same object twice, where it is not a cycle", () => {
    const shared = { a: 1 };
    expect(copyJson([shared, shared], "value")).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe("isolate", () => {
  it("gives a frozen copy and leaves the original as it is", () => {
    const value = { list: [{ n: 1 }] };
    const isolated = isolate(value, "value");
    expect([isolated, isolated.list, isolated.list[0]].map(Object.isFrozen)).toEqual([true, true, true]);
    value.list.push({ n: 2 });
    expect(isolated).toEqual({ list: [{ n: 1 }] });
  });
});

describe("canonicalJson", () => {
  it("gives equal values equal text, whatever the order of their keys", () => {
    const one: Json = { b: [1, { d: 1, c: 2 }], a: "x" };
    const same: Json = { a: "x", b: [1, { c: 2, d: 1 }] };
    expect(canonicalJson(one)).toBe('{"a":"x","b":[1,{"c":2,"d":1}]}');
    expect(canonicalJson(same)).toBe(canonicalJson(one));
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});

describe("jsonBytes", () => {
  it("counts bytes of UTF-8, not characters", () => {
    expect([jsonBytes("a"), jsonBytes("ü"), jsonBytes("😀"), jsonBytes({})]).toEqual([3, 4, 6, 2]);
  });
});

describe("lengthAtLeast", () => {
  it.each([
    ["text", '"text"'],
    [[], "[]"],
    [{}, "{}"],
    [[1, 2, 3], "[1,2,3]"],
    [{ a: { b: "c" }, d: [[], {}] }, '{"a":{"b":"c"},"d":[[],{}]}'],
  ])("is the length of the text of %j, where nothing is escaped", (value, text) => {
    expect([lengthAtLeast(value, 1_000), JSON.stringify(value)]).toEqual([text.length, text]);
  });

  it("is never more than the bytes of the text", () => {
    const value = { 'k"': "ü\u2028\n", list: [true, null, 1.5e-7, false] };
    expect(lengthAtLeast(value, 1_000)).toBeLessThanOrEqual(jsonBytes(value));
  });

  it("stops where there is enough", () => {
    const list = Array.from({ length: 100 }, () => "x".repeat(10));
    expect(lengthAtLeast(list, 50)).toBeGreaterThan(50);
    expect(lengthAtLeast(["x".repeat(1_000)], 50)).toBe(1_004);
  });
});
