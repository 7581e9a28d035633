import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const compiler = new URL("../../../node_modules/typescript/bin/tsc", import.meta.url);
const folder = new URL("type-mistakes/", import.meta.url);

interface Complaint {
  readonly place: string;
  readonly text: string;
}

/** The sentence in the first line that says what to write; without one the first line and the last. */
function reasonOf(lines: readonly string[]): string {
  const [first = "", ...more] = lines;
  const sentences = /Refused<"(.*?)">/.exec(first)?.[1];
  return sentences ?? [first, ...more.slice(-1)].map((line) => line.trim()).join(" … ");
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

const expected: Readonly<Record<string, Complaint>> = {
  "unknown-option": {
    place: "10:3",
    text: "Object literal may only specify known properties, but 'items' does not exist in type 'ToolOptions<ZodObject<{ start: ZodString; }, $strip>, unknown, unknown, unknown, number, { append: { readonly url: string; }[]; }>'. Did you mean to write 'item'?",
  },
  "misspelt-state": {
    place: "8:3",
    text: "Object literal may only specify known properties, but 'sate' does not exist in type 'ToolOptions<ZodObject<{ n: ZodNumber; }, $strip>, unknown, unknown, unknown, number, { progress: any; state: { at: any; }; }>'. Did you mean to write 'state'?",
  },
  "input-schema": {
    place: "7:3",
    text: "Object literal may only specify known properties, and 'inputSchema' does not exist in type 'ToolOptions<unknown, unknown, unknown, unknown, never, NoCheckpoints>'.",
  },
  "question-text": {
    place: "9:28",
    text: "a question is { message, schema }, such as schema: z.object({ … })",
  },
  "question-nested": {
    place: "10:50",
    text: "a form is flat: texts, numbers, booleans, choices and lists of choices",
  },
  "raw-input": {
    place: "7:3",
    text: "input is one schema: write z.object({ … }) around the properties",
  },
  "raw-output": {
    place: "8:3",
    text: "output is one schema: write z.object({ … }) around the properties",
  },
  "first-state-not-json": {
    place: "8:12",
    text: "JSON has no Set and no Map: make it a list or an object",
  },
  "step-value": {
    place: "9:50",
    text: "JSON has no dates: make it a string or a number",
  },
  "map-items": {
    place: "9:35",
    text: "JSON has no dates: make it a string or a number",
  },
  "map-result": {
    place: "10:57",
    text: "Type 'Promise<{ url: string; size: number; }>' is not assignable to type 'Promise<({ url: string; size: number; } & void) | ({ url: string; size: number; } & { url: string; bytes: number; })> | ({ url: string; size: number; } & void) | ({ url: string; size: number; } & { ...; })'. … Property 'bytes' is missing in type '{ url: string; size: number; }' but required in type '{ url: string; bytes: number; }'.",
  },
  "call-input": { place: "17:50", text: "Type 'string' is not assignable to type 'number'." },
  "plain-with-state": {
    place: "9:9",
    text: "a tool without checkpoints has no state: write async *run, and yield",
  },
  "checkpoint-key": {
    place: "9:10",
    text: "a checkpoint has progress, total, state, append and message: sate is none of them",
  },
  "state-key": { place: "9:10", text: "checkpoint.state.at is missing" },
  "state-type": { place: "9:10", text: "checkpoint.state.at is a string, not a number" },
  "item-type": { place: "9:10", text: "checkpoint.append[] is a string, not an object" },
  "yields-number": {
    place: "8:10",
    text: "a tool yields { progress?, total?, state?, append?, message? }, not a number",
  },
  "output-type": { place: "9:10", text: "output.counted is a string, not a number" },
  "option-value": {
    place: "8:3",
    text: `Type '"retry"' is not assignable to type '"continue" | "restart" | undefined'.`,
  },
};

test("each mistake is marked at its place, and the first line of the compiler's text names it", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3));
  expect(Object.keys(expected).sort()).toEqual(files.sort());
  expect(Object.fromEntries(complaints())).toEqual(expected);
});
