import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readPromises } from "../src/proofs.js";
import { published, read, root, sourcesOf, titlesOf } from "../src/repository.js";

/** A claim with the cell that names its tests. */
type Claim = readonly [claim: string, shown: string];

/** The claims of a file, whatever groups they stand in. */
function claimsIn(group: Readonly<Record<string, unknown>>): readonly Claim[] {
  return Object.entries(group).flatMap(([claim, shown]) =>
    typeof shown === "string" ? [[claim, shown] as const] : claimsIn(shown as Readonly<Record<string, unknown>>),
  );
}

/** The tests that a claim names: files, or folders of them, each with the titles that are quoted behind it. */
function testsIn(shown: string): readonly { readonly path: string; readonly titles: readonly string[] }[] {
  const named = shown.matchAll(/((?:packages|apps|bench|conformance|simulation)\/[\w./-]+\w)((?:,? "[^"]+")*)/g);
  return [...named].map(([, path = "", quoted = ""]) => ({
    path,
    titles: [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }));
}

/** The files and titles that a claim names, and that are not there. */
function missingIn(shown: string): readonly string[] {
  return testsIn(shown).flatMap(({ path, titles }) => {
    if (!existsSync(join(root, path))) return [path];
    const written = titles.length === 0 ? [] : titlesOf(read(path));
    return titles
      .filter((title) => !written.some((other) => other.includes(title)))
      .map((title) => `${path}: ${title}`);
  });
}

const clauses = new Set(readPromises().clauses.map(({ id }) => id));

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

describe.each([
  ["claims.yaml", 150],
  ["authorization-chapter.yaml", 130],
] as const)("%s", (file, least) => {
  const claims = claimsIn(parse(read(`conformance/${file}`)));

  test("each claim names a test, or a clause of the store contract, or says why it does not apply", () => {
    const isShown = ([, shown]: Claim) =>
      testsIn(shown).length > 0 || /clauses? [A-Z]+-\d|^not applicable, because /.test(shown);
    expect(claims.filter((claim) => !isShown(claim))).toEqual([]);
    expect(claims.length).toBeGreaterThan(least);
  });

  test("the files, titles and clauses that they name are there", () => {
    expect(claims.flatMap(([, shown]) => missingIn(shown))).toEqual([]);
    const named = claims.flatMap(([, shown]) => [...shown.matchAll(/\b([A-Z]{2,}-\d+)\b/g)].map(([, id = ""]) => id));
    expect(named.filter((id) => !clauses.has(id))).toEqual([]);
  });
});

describe("docs/limits.md", () => {
  test("the defaults of limits that it names are those of the code", () => {
    const written = [
      ...read("docs/limits.md")
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
});

describe("docs/auth.md", () => {
  const rows = read("docs/auth.md").matchAll(/^\| ((?:a token|local|other)[^|]*) \|/gm);

  test("each kind of request in its table is a row of the test", () => {
    const kinds = [...rows].map(([, kind = ""]) => kind.replaceAll("`", ""));
    const asked = read("packages/server-http/test/who-asks.test.ts");
    expect(kinds.length).toBeGreaterThan(5);
    expect(kinds.filter((kind) => !asked.includes(`name: "${kind}"`))).toEqual([]);
  });
});
