import { expect, test } from "vitest";
import { cities, findCity, formOf, nearestNames } from "./cities.js";

test.each(["New York", " new-york ", "NEW  YORK", "Néw York"])("finds a city that is written as %j", (name) => {
  expect(findCity(name)?.name).toBe("New York");
});

test("finds no city by another name", () => {
  expect([findCity("York"), findCity("")]).toEqual([undefined, undefined]);
});

test("offers the names that are spelled most alike, nearest first, and no more than three", () => {
  const names = ["Lima", "Lomé", "Rome", "Oslo", "Roma"];
  expect(nearestNames("rome", names)).toEqual(["Rome", "Lomé", "Roma"]);
  expect(
    nearestNames(
      "Seatle",
      cities.map(({ name }) => name),
    )[0],
  ).toBe("Seattle");
});

test("compares names without case, accents and punctuation", () => {
  expect(formOf(" São-Paulo (SP) ")).toBe("sao paulo sp");
});
