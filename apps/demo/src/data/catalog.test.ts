import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalog } from "./catalog.js";
import { dataFolder } from "./dataset.js";

const maxFileBytes = 300 * 1024;
const folder = dataFolder(import.meta.url);
const sources = readFileSync(new URL("SOURCES.md", folder), "utf8");

test("lists every CSV file of the folder and no other", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".csv"));
  expect(catalog.map((dataset) => dataset.file).sort()).toEqual(files.sort());
});

test("gives no name and no alias to two data sets", () => {
  const names = catalog.flatMap((dataset) => [dataset.name, ...dataset.aliases]);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(catalog)("$name", (dataset) => {
  const bytes = readFileSync(new URL(dataset.file, folder));

  test("is the file whose checksum SOURCES.md states", () => {
    expect(chapterOf(dataset.file)).toContain(createHash("sha256").update(bytes).digest("hex"));
  });

  test("is a small file", () => {
    expect(bytes.byteLength).toBeLessThanOrEqual(maxFileBytes);
  });

  test("has every column explained in SOURCES.md", () => {
    const chapter = chapterOf(dataset.file);
    const unexplained = Object.keys(dataset.columns.shape).filter((column) => !chapter.includes(`\`${column}\``));
    expect(unexplained).toEqual([]);
  });
});

function chapterOf(file: string): string {
  return sources.split("\n## ").find((chapter) => chapter.startsWith(`\`${file}\``)) ?? "";
}
