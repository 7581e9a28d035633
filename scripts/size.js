// Prints what the repository weighs, of the files that git lists: `npm run size`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf, exportedNames } from "./entries.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const listed = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).split("\0");
const files = listed.filter((file) => file !== "" && existsSync(join(root, file)));
const read = (file) => readFileSync(join(root, file), "utf8");
const lines = (pattern) =>
  files.filter((file) => pattern.test(file)).reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
const isTest = /(^|\/)test\/|\.test\.tsx?$/;
const sources = files.filter((file) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(file) && !isTest.test(file));

const manifests = files.filter((file) => /^(packages|apps)\/[^/]+\/package\.json$/.test(file));
const entries = manifests.flatMap((file) => entriesOf(join(root, dirname(file))));
// An entry of a table of options, or of those of `parseArgs`. What only variables and the settings file say has no flag.
const option =
  /^\s*"?([a-z][a-z-]*)"?: (?:\{ (?:\.\.\.)?)?(?:text|list|flag|off)\(|^\s*"?([a-z][a-z-]*)"?: \{ type: "(?:string|boolean)"/gm;
const flags = sources.flatMap((file) => {
  const text = read(file);
  if (!file.startsWith("packages/") || !/parseArgs|parseFlags|option\.js|OptionEntry/.test(text)) return [];
  const found = [...text.matchAll(option)];
  const isFlag = ({ index }, place) => !/"settings",?\s*\)/.test(text.slice(index, found[place + 1]?.index));
  return found.filter(isFlag).map(([, inTable, inParser]) => inTable ?? inParser);
});
const limit =
  /^\s*(?:export )?(?:const )?((?:max|min|default)\w+|\w+(?:Ms|Bytes|Seconds|Length))\b(?: =|:) -?\d[\d_ *]*[,;]?$/gm;
const limits = sources.flatMap((file) => [...read(file).matchAll(limit)]);
const sum = (list) => list.reduce((all, count) => all + count, 0);

const rows = [
  ["production lines", sum(sources.map((file) => read(file).split("\n").length - 1)), 62_000],
  ["lines of bench and simulation", lines(/^(bench|simulation)\/src\/(?!.*\.test\.).*\.ts$/), 15_000],
  [
    "lines of tests",
    sum(
      files
        .filter((file) => /\.[jt]sx?$|\.mjs$/.test(file) && isTest.test(file))
        .map((file) => read(file).split("\n").length - 1),
    ),
    50_000,
  ],
  ["packages", manifests.filter((file) => file.startsWith("packages/")).length, 14],
  ["exports, all entries", sum(entries.map((file) => new Set(exportedNames(file)).size)), 350],
  ["flags of the programs, each once", new Set(flags).size, 70],
  ["named limits", limits.length, 150],
  [
    "words of markdown",
    sum(files.filter((file) => file.endsWith(".md")).map((file) => read(file).split(/\s+/).filter(Boolean).length)),
    50_000,
  ],
];
for (const [name, now, most] of rows)
  console.log(
    `${name.padEnd(34)} ${now.toLocaleString("en").padStart(8)}   at most ${most.toLocaleString("en").padStart(7)}`,
  );
