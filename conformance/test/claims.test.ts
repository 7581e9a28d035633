import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isTestFile, published, read, root, sourcesOf, titlesOf } from "../src/repository.js";

/** Sections that claim nothing of their own: what they say is shown elsewhere, or is advice. */
const withoutClaims = ["What is not defended", "Findings of the assessment of 2026-11-22"];

/** The sections of a document, by their headings. */
function sectionsOf(document: string): readonly (readonly [heading: string, text: string])[] {
  const parts = read(document)
    .split(/^#{2,3} /m)
    .slice(1);
  return parts.map((part) => [part.slice(0, part.indexOf("\n")), part] as const);
}

/** The tests that a text names: files, or folders of them, each with the titles that are quoted behind it. */
function testsIn(text: string): readonly { readonly path: string; readonly titles: readonly string[] }[] {
  const named = text
    .replaceAll(/\s+/g, " ")
    .matchAll(/`((?:packages|apps|bench|conformance|simulation)\/[\w./-]+)`((?:,? "[^"]+")*)/g);
  return [...named]
    .filter(([, path = ""]) => isTestFile(path) || /\/test\/[\w-]+$/.test(path))
    .map(([, path = "", quoted = ""]) => ({
      path,
      titles: [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
    }));
}

/** The files and titles that a document names, and that are not there. */
function missingIn(document: string): readonly string[] {
  return testsIn(read(document)).flatMap(({ path, titles }) => {
    if (!existsSync(join(root, path))) return [path];
    const written = titles.length === 0 ? [] : titlesOf(read(path));
    return titles
      .filter((title) => !written.some((other) => other.includes(title)))
      .map((title) => `${path}: ${title}`);
  });
}

const clauses = new Set([...read("docs/store-contract.md").matchAll(/^\| ([A-Z]+-\d+) \|/gm)].map(([, id = ""]) => id));

/** The defaults of all limits of the code, by name; packages may have limits of the same name. */
const defaults = new Map<string, number[]>();
for (const path of published
  .flatMap((folder) => sourcesOf(folder, ["src"]))
  .filter((path) => /\blimits\.ts$/.test(path)))
  for (const [, name = "", product = ""] of read(path).matchAll(/^ {2}(\w+): (\d[\d_]*(?: \* \d[\d_]*)*),/gm)) {
    const factors = product.split(" * ").map((digits) => Number(digits.replaceAll("_", "")));
    defaults.set(name, [...(defaults.get(name) ?? []), factors.reduce((all, factor) => all * factor, 1)]);
  }

const units = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, s: 1_000, min: 60_000, h: 3_600_000 };

describe.each(["docs/operations.md", "docs/security.md"])("%s", (document) => {
  const sections = sectionsOf(document);

  test("each section names the tests that show what it claims", () => {
    const bare = sections.filter(([heading, text]) => !withoutClaims.includes(heading) && testsIn(text).length === 0);
    expect(bare.map(([heading]) => heading)).toEqual([]);
    expect(sections.length).toBeGreaterThan(5);
  });

  test("each row of a table of claims or attacks names a test, or a clause of the store contract", () => {
    const tables = sections
      .flatMap(([, text]) => text.split(/\n\n+/))
      .filter((block) => /^\|.*\| Test \|$/m.test(block));
    const rows = tables.flatMap((block) =>
      block
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .slice(2),
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => testsIn(row).length === 0 && !/clauses? [A-Z]+-\d/.test(row))).toEqual([]);
  });

  test("the files and titles that it names are there", () => {
    expect(missingIn(document)).toEqual([]);
  });

  test("the defaults of limits that it names are those of the code", () => {
    const written = [
      ...read(document)
        .replaceAll(/\s+/g, " ")
        .matchAll(/`(\w+)` \(?(\d[\d,]*)(?: (KiB|MiB|GiB|s|min|h)\b)?/g),
    ].filter(([, name = ""]) => defaults.has(name));
    const isDefault = ([, name = "", digits = "", unit]: RegExpMatchArray) => {
      const factor = unit === undefined ? 1 : units[unit as keyof typeof units];
      return defaults.get(name)?.includes(Number(digits.replaceAll(",", "")) * factor) === true;
    };
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((one) => !isDefault(one)).map(([text]) => text)).toEqual([]);
  });

  test("the clauses that it names are there", () => {
    const named = [...read(document).matchAll(/\b([A-Z]{2,}-\d+)\b/g)].map(([, id = ""]) => id);
    const kinds = new Set([...clauses].map((id) => id.split("-")[0]));
    expect(named.filter((id) => kinds.has(id.split("-")[0]) && !clauses.has(id))).toEqual([]);
  });
});

describe("docs/owners.md", () => {
  const rows = read("docs/owners.md").matchAll(/^\| ((?:a token|local|other)[^|]*) \|/gm);

  test("each kind of request in its table is a row of the test, and what it names is there", () => {
    const kinds = [...rows].map(([, kind = ""]) => kind.replaceAll("`", ""));
    const asked = read("packages/server-http/test/who-asks.test.ts");
    expect(kinds.length).toBeGreaterThan(5);
    expect(kinds.filter((kind) => !asked.includes(`name: "${kind}"`))).toEqual([]);
    expect(missingIn("docs/owners.md")).toEqual([]);
  });
});

describe("docs/auth.md", () => {
  test("each line of the authorization chapter has a test that is there, or says why it does not apply", () => {
    const [, chapter = ""] = read("docs/auth.md").split("## The authorization chapter, line by line");
    const rows = chapter.split("\n").filter((line) => /^\| .* \| (both|2025|2026) \|/.test(line));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => testsIn(row).length === 0 && !row.includes("not applicable, because"))).toEqual([]);
    expect(missingIn("docs/auth.md")).toEqual([]);
  });
});
