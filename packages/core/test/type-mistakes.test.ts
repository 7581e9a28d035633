import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const compiler = new URL("../../../node_modules/typescript/bin/tsc", import.meta.url);
const folder = new URL("type-mistakes/", import.meta.url);
const page = new URL("../../../docs/type-errors.md", import.meta.url);

interface Complaint {
  readonly place: string;
  readonly text: string;
}

/** The reason is in the last line; the one before it may say in which property. */
function reasonOf(lines: readonly string[]): string {
  const [where = "", reason = ""] = ["", ...lines].slice(-2).map((line) => line.trim());
  return /^(The types|Types) of /.test(where) ? `${where} ${reason}` : reason;
}

/** What TypeScript says first about each file of the folder. One program for all. */
function complaints(): ReadonlyMap<string, Complaint> {
  const options = ["--noEmit", "--pretty", "false", "-p", fileURLToPath(folder)];
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(compiler), ...options], { encoding: "utf8" });
  const found = new Map<string, Complaint>();
  for (const diagnostic of stdout.split(/\n(?=\S)/)) {
    const [, file, place, text] = /([^/\n]+)\.ts\((\d+,\d+)\): error TS\d+: ([\s\S]*)/.exec(diagnostic) ?? [];
    if (file === undefined || place === undefined || text === undefined || found.has(file)) continue;
    found.set(file, { place: place.replace(",", ":"), text: reasonOf(text.trimEnd().split("\n")) });
  }
  return found;
}

/** The table of the page: of each file what it holds, and what TypeScript says about it. */
async function documented(): Promise<ReadonlyMap<string, Complaint>> {
  const rows = (await readFile(page, "utf8")).matchAll(/^\| `([\w-]+)\.ts` .*\| (\d+:\d+) `\w+`: `` (.*) `` \|$/gm);
  return new Map(
    [...rows].map(([, file = "", place = "", text = ""]) => [file, { place, text: text.replaceAll("\\|", "|") }]),
  );
}

test("each mistake is marked at its place, with the sentence that the documentation shows", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3));
  const expected = await documented();
  expect([...expected.keys()].sort()).toEqual(files.sort());
  expect(expected.size).toBeGreaterThanOrEqual(10);
  expect(Object.fromEntries(complaints())).toEqual(Object.fromEntries(expected));
});
