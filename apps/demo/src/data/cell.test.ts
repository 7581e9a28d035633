import { describe, expect, test } from "vitest";
import { type Cell, day, instant, integer, number, oneOf, optional, text } from "./cell.js";

const problemOf = (cell: Cell, value: string) => cell.safeParse(value).error?.issues.map((issue) => issue.message);

describe("a number", () => {
  test.each([
    ["3750", 3750],
    ["18.70", 18.7],
    ["-0.8", -0.8],
    ["0.0006674", 0.0006674],
  ])("reads %s", (value, expected) => {
    expect(number(-10, 10_000).parse(value)).toBe(expected);
  });

  test.each([" ", " 1", "1,5", "0x10", "1e3", "Infinity", "NaN", "."])("refuses %j", (value) => {
    expect(problemOf(number(-10, 10), value)).toEqual(["is not a number"]);
  });

  test("keeps to its bounds, both included", () => {
    expect(number(0, 10).parse("0")).toBe(0);
    expect(number(0, 10).parse("10")).toBe(10);
    expect(problemOf(number(0, 10), "-0.1")).toEqual(["is below 0"]);
    expect(problemOf(number(0, 10), "10.1")).toEqual(["is above 10"]);
  });

  test("is whole where it has to be", () => {
    expect(integer(0, 10).parse("7")).toBe(7);
    expect(problemOf(integer(0, 10), "7.5")).toEqual(["is not a whole number"]);
  });
});

test.each([
  ["text", text],
  ["day", day],
  ["instant", instant],
  ["number", number(0, 1)],
  ["oneOf", oneOf("a")],
])("an empty cell is missing for %s, and that is its only problem", (_, cell) => {
  expect(problemOf(cell, "")).toEqual(["is missing"]);
});

test("an optional cell may be empty, but not wrong", () => {
  expect(optional(number(0, 10)).parse("")).toBeNull();
  expect(optional(number(0, 10)).parse("4")).toBe(4);
  expect(problemOf(optional(number(0, 10)), "x")).toEqual(["is not a number"]);
});

test("days and instants exist in the calendar, and instants are in UTC", () => {
  expect(day.parse("2012-02-29")).toBe("2012-02-29");
  expect(problemOf(day, "2013-02-29")).toEqual(["is not a date"]);
  expect(instant.parse("2018-02-07T01:26:13.840Z")).toBe("2018-02-07T01:26:13.840Z");
  expect(problemOf(instant, "2018-02-07T01:26:13+01:00")).toEqual(["is not an instant in UTC"]);
});

test("a word out of a list is matched exactly", () => {
  expect(oneOf("MALE", "FEMALE").parse("MALE")).toBe("MALE");
  expect(problemOf(oneOf("MALE", "FEMALE"), "male")).toEqual(["is none of MALE, FEMALE"]);
});
