import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { dataFolder } from "./dataset.js";

test.each([
  ["a source file", "file:///checkout/apps/demo/src/data/dataset.ts"],
  ["a bundle", "file:///checkout/apps/demo/dist/index.js"],
  ["a chunk of a bundle", "file:///checkout/apps/demo/dist/chunk-AB12CD34.js"],
])("lies next to src and dist, seen from %s", (_, moduleUrl) => {
  expect(dataFolder(moduleUrl).href).toBe("file:///checkout/apps/demo/data/");
});

test("is not misled by a checkout below a folder called src/data", () => {
  expect(dataFolder("file:///home/me/src/data/demo/dist/index.js").href).toBe("file:///home/me/src/data/demo/data/");
});

test("keeps escaped characters and drive letters of the path", () => {
  expect(dataFolder("file:///C:/my%20code/demo/src/data/dataset.ts").href).toBe("file:///C:/my%20code/demo/data/");
});

test("leads to the real folder", async () => {
  expect(await readdir(dataFolder(import.meta.url))).toContain("SOURCES.md");
});
