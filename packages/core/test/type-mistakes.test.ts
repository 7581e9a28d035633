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

/** What TypeScript says where its text tells what to write: no page repeats it. */
const plain: Readonly<Record<string, Complaint>> = {
  "unknown-option": {
    place: "10:3",
    text: "Object literal may only specify known properties, but 'items' does not exist in type 'ToolOptions<ZodObject<{ start: ZodString; }, $strip>, unknown, unknown, unknown, number>'. Did you mean to write 'item'?",
  },
  "misspelt-state": {
    place: "8:3",
    text: "Object literal may only specify known properties, but 'sate' does not exist in type 'ToolOptions<ZodObject<{ n: ZodNumber; }, $strip>, unknown, unknown, unknown, number>'. Did you mean to write 'state'?",
  },
  "input-schema": {
    place: "7:3",
    text: "Object literal may only specify known properties, and 'inputSchema' does not exist in type 'ToolOptions<unknown, unknown, unknown, unknown, Json>'.",
  },
  "question-text": {
    place: "9:28",
    text: `Argument of type 'string' is not assignable to parameter of type 'AskRequest<Refused<"a question is { message, schema }, such as schema: z.object({ … })">>'.`,
  },
  "raw-input": {
    place: "7:3",
    text: `Property 'because' is missing in type '{ n: z.ZodNumber; }' but required in type 'Refused<"input is one schema: write z.object({ … }) around the properties">'.`,
  },
  "raw-output": {
    place: "8:3",
    text: `Property 'because' is missing in type '{ counted: z.ZodNumber; }' but required in type 'Refused<"output is one schema: write z.object({ … }) around the properties">'.`,
  },
  "first-state-not-json": {
    place: "8:12",
    text: `Property 'because' is missing in type 'Set<string>' but required in type 'Refused<"JSON has no Set and no Map: make it a list or an object">'.`,
  },
  "step-value": {
    place: "9:50",
    text: `Property 'because' is missing in type 'Date' but required in type 'Refused<"JSON has no dates: make it a string or a number">'.`,
  },
  "map-items": {
    place: "9:35",
    text: `Property 'because' is missing in type 'Date' but required in type 'Refused<"JSON has no dates: make it a string or a number">'.`,
  },
  "map-result": {
    place: "10:57",
    text: "Property 'bytes' is missing in type '{ url: string; size: number; }' but required in type '{ url: string; bytes: number; }'.",
  },
  "call-input": { place: "17:50", text: "Type 'string' is not assignable to type 'number'." },
  "plain-with-state": {
    place: "9:9",
    text: `Type 'number' is not assignable to type 'Refused<"a tool without checkpoints has no state: write async *run, and yield">'.`,
  },
  "option-value": {
    place: "8:3",
    text: `Type '"retry"' is not assignable to type '"continue" | "restart" | undefined'.`,
  },
};

/** The table of the page: of each file what it holds, and what TypeScript says about it. */
async function documented(): Promise<ReadonlyMap<string, Complaint>> {
  const rows = (await readFile(page, "utf8")).matchAll(/^\| `([\w-]+)\.ts` .*\| (\d+:\d+) `\w+`: `` (.*) `` \|$/gm);
  return new Map(
    [...rows].map(([, file = "", place = "", text = ""]) => [file, { place, text: text.replaceAll("\\|", "|") }]),
  );
}

test("each mistake is marked at its place, with a sentence that says what to write or that the documentation shows", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3));
  const shown = await documented();
  expect(shown.size).toBeGreaterThan(3);
  const expected = new Map([...Object.entries(plain), ...shown]);
  expect([...expected.keys()].sort()).toEqual(files.sort());
  expect(Object.fromEntries(complaints())).toEqual(Object.fromEntries(expected));
});
