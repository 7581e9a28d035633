import { expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.js";

const commands = ["call", "tasks", "serve", "servers", "stats", "store", "completion", "items"];

test.each([
  ["tsaks", " Did you mean tasks?"],
  ["server", " Did you mean serve or servers?"],
  ["comp", " Did you mean completion?"],
  ["stat", " Did you mean stats?"],
  ["cal", " Did you mean call?"],
  ["ca", ""],
  ["nonsense", ""],
  ["", ""],
])("for %j it says %j", (word, expected) => {
  expect(didYouMean(word, commands)).toBe(expected);
});

test("of many words that are as near the first three are named, as they are written", () => {
  const pages = ["page_1", "page_2", "page_3", "page_4"];
  expect(didYouMean("page_0", pages, (name) => `--${name}`)).toBe(" Did you mean --page_1 or --page_2 or --page_3?");
});
