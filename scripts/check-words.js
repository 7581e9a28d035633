// Refuses retired words in code and documents: `node scripts/check-words.js [FILE|FOLDER …]`, by default the whole repository.
// The words and what to use instead are read from docs/naming.md.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const vocabulary = "docs/naming.md";

/** Text that people write. */
const checked = /\.(?:[cm]?[jt]sx?|jsonc?|md|sh|ya?ml)$/;

/** The vocabulary itself, its test, and what programs write. */
const unchecked = [vocabulary, "conformance/test/naming.test.ts", "pnpm-lock.yaml", "bench-results.json"];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const quoted = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text);

/** The rows of the table under a heading of the vocabulary, as lists of cells. */
function rowsUnder(heading, markdown) {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** Finds a phrase in any case; a line break of prose or of a comment may stand between its words. */
function patternOf(phrase) {
  if (/^[A-Z]/.test(phrase)) return new RegExp(`\\b${phrase.replace("*", "[A-Z]\\w*")}`, "g");
  const words = phrase.split(" ").map((word) => escaped(word).replace("\\*", "[a-z]*"));
  return new RegExp(`(?<![a-z])${words.join("[\\s/*#>_-]+")}(?![a-z])`, "gi");
}

/** The retired phrases with what replaces them, and a pattern of the names that stay. */
function readVocabulary() {
  const markdown = readFileSync(join(root, vocabulary), "utf8");
  const rows = [...rowsUnder("Terms", markdown), ...rowsUnder("Plain sentences", markdown)];
  const uses = new Map();
  for (const row of rows)
    for (const phrase of quoted(row.at(-1))) uses.set(phrase, [...(uses.get(phrase) ?? []), row[0]]);
  const kept = rowsUnder("Names of others", markdown).flatMap(([names]) => quoted(names));
  return {
    retired: [...uses].map(([phrase, use]) => ({ pattern: patternOf(phrase), use: use.join(" · ") })),
    kept: new RegExp(kept.map(escaped).join("|"), "gi"),
  };
}

/** Looks for the retired phrases in a text; identifiers count as the words that they are made of. */
function findingsIn(text, { retired, kept }) {
  const own = text.replace(kept, "");
  const words = own.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  return retired
    .flatMap(({ pattern, use }) => {
      const searched = pattern.ignoreCase ? words : own;
      return [...searched.matchAll(pattern)].map(({ index, 0: found }) => ({
        line: searched.slice(0, index).split("\n").length,
        found: found.replace(/\s+/g, " "),
        use,
      }));
    })
    .sort((one, other) => one.line - other.line);
}

/** The checked files of the repository, or of one of its folders, as Git lists them. */
function filesIn(folder) {
  const list = ["ls-files", "--full-name", "--cached", "--others", "--exclude-standard", "--", folder];
  return execFileSync("git", list, { encoding: "utf8" })
    .split("\n")
    .filter((path) => checked.test(path) && !unchecked.includes(path) && existsSync(join(root, path)))
    .map((path) => join(root, path));
}

/** What the arguments name; without arguments the whole repository. */
function filesToCheck(given) {
  if (given.length > 0) return given.flatMap((path) => (statSync(path).isFile() ? [path] : filesIn(path)));
  return filesIn(root);
}

const words = readVocabulary();
let count = 0;
for (const path of filesToCheck(process.argv.slice(2))) {
  for (const { line, found, use } of findingsIn(readFileSync(path, "utf8"), words)) {
    count += 1;
    process.stdout.write(`${path.startsWith(root) ? path.slice(root.length) : path}:${line} "${found}": use ${use}\n`);
  }
}
if (count > 0) process.stdout.write(`Retired words: ${count}. ${vocabulary} has the vocabulary.\n`);
process.exitCode = count > 0 ? 1 : 0;
