import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "../src/repository.js";

/** Runs the check of words on a file with this text. */
function check(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), "check-words-")), "sample.ts");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts/check-words.js"), file], {
    encoding: "utf8",
  });
  return { status, lines: stdout.replaceAll(file, "sample.ts").trimEnd().split("\n") };
}

test("lint checks the words", () => {
  expect(JSON.parse(read("scripts/package.json")).scripts.lint).toContain("node scripts/check-words.js");
});

test("a retired word is refused with file, line and what to use instead", () => {
  const text = [
    "const wishedFor = 1;",
    "const oldMendedValue = 2;",
    "// The lease stands",
    "// for the call.",
    'const message = "The task goes on.";',
    "class LiveLease {}",
  ].join("\n");
  expect(check(text)).toEqual({
    status: 1,
    lines: [
      'sample.ts:1 "wished": use request (pause request, cancel request)',
      'sample.ts:2 "Mended": use repair, fix, correct',
      'sample.ts:3 "stands // for": use identifies, means',
      'sample.ts:5 "goes on": use continues',
      'sample.ts:6 "LiveLease": use the noun itself: `Session`, `TaskWriter`',
      "Retired words: 5. docs/naming.md has the vocabulary.",
    ],
  });
});

test("names of others, and words that only look alike, pass", () => {
  const text = [
    "const annotations = { readOnlyHint: true, destructiveHint: false };",
    "await Promise.allSettled(all);",
    "// There is no task, it is no longer here, and its live lease has no legend.",
    "const { desiredState } = record;",
  ].join("\n");
  expect(check(text)).toEqual({ status: 0, lines: [""] });
});

test("every retired phrase of the vocabulary is refused", () => {
  const tables = read("docs/naming.md").split("## Names of others")[0] ?? "";
  const cells = [...tables.matchAll(/^\| .* \| ([^|]+) \|$/gm)].map(([, cell = ""]) => cell);
  const phrases = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, phrase = ""]) => phrase));
  expect(phrases.length).toBeGreaterThan(40);
  const { lines } = check(phrases.map((phrase) => `"${phrase.replace("*", "Xyz")}"`).join("\n"));
  const refused = new Set(lines.map((line) => line.split(" ")[0]));
  expect(phrases.filter((_, index) => !refused.has(`sample.ts:${index + 1}`))).toEqual([]);
});
