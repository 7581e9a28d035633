import { expect, test } from "vitest";
import { findCity, plainName } from "./cities.js";

test.each(["New York", " new-york ", "NEW  YORK", "Néw York"])("finds a city that is written as %j", (name) => {
  expect(findCity(name)?.name).toBe("New York");
});

test("finds no city by another name", () => {
  expect([findCity("York"), findCity("")]).toEqual([undefined, undefined]);
});

test("compares names without case, accents and punctuation", () => {
  expect(plainName(" São-Paulo (SP) ")).toBe("sao paulo sp");
});
