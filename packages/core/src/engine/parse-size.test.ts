import { expect, it } from "vitest";
import { parseSize } from "./parse-size.js";

it("gives a size in bytes, and nothing for what is none", () => {
  const texts = ["0", "4096", "1KiB", "500MiB", "20GiB", "2TiB", "1KB", "1.5GiB", "-1", "01", "", "9007199254740993"];
  const none = undefined;
  const expected = [0, 4096, 1024, 500 * 2 ** 20, 20 * 2 ** 30, 2 * 2 ** 40, none, none, none, none, none, none];
  expect(texts.map(parseSize)).toEqual(expected);
});
