import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createFsStore } from "@resumable-mcp/store-fs";
import { beginTask, checkpoints, finishTasks, now } from "./stored-tasks.js";

/** What a task of the store is copied from: its files, with its id in them. */
interface Template {
  readonly id: string;
  readonly journals: readonly (readonly [name: string, text: string])[];
  readonly claim: string;
  readonly finishedLine: string;
}

/** What a store is filled with. */
export interface Filling {
  readonly finished: number;
  /** Their process has died. */
  readonly unfinished?: number;
  /** They wait for an answer. */
  readonly waiting?: number;
}

/**
 * Fills a store with finished tasks, with unfinished ones whose process has died, and with those that wait.
 *
 * Each is a copy of one that the store itself made, under another id, with new checksums: making 100,000 through
 * the store would take minutes.
 */
export async function fillStore(directory: string, { finished, unfinished = 0, waiting = 0 }: Filling): Promise<void> {
  const template = await makeTemplate(directory);
  const lines: string[] = [];
  const claims = new Map<string, number>();
  for (let n = 1; n < finished; n++) {
    const id = idOf(template.id, n);
    copyTask(directory, template, id);
    claim(directory, template, id, claims);
    lines.push(withChecksum(renamed(template.finishedLine, template.id, id)));
  }
  const day = readdirSync(join(directory, "done"))[0]?.slice(0, 10) ?? "";
  writeFileSync(join(directory, "done", `${day}.copies-1.jsonl`), lines.join(""));
  await abandonTasks(directory, unfinished);
  if (waiting > 0) await waitingTasks(directory, waiting);
}

/** Makes tasks that wait for an answer: they have a marker, and no line in a list. */
async function waitingTasks(directory: string, count: number): Promise<void> {
  const store = createFsStore({ directory, durability: "process" });
  const { lease, lastSeq } = await beginTask(store);
  const question = { message: "Go on?", schema: { type: "object" } };
  const events = [
    { type: "asked", key: "q", question },
    { type: "attempt_ended", reason: "waiting" },
  ] as const;
  await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now: now() });
  await store.close();
  const { taskId } = lease;
  const journals = readJournals(placeOf(directory, taskId));
  for (let n = 1; n < count; n++) {
    const id = idOf(taskId, n).replace("copied", "waits-");
    copyTask(directory, { id: taskId, journals }, id);
    writeFileSync(join(directory, "open", id), "");
  }
}

/** Makes tasks with progress, whose attempt has no end. */
async function abandonTasks(directory: string, count: number): Promise<void> {
  const store = createFsStore({ directory, durability: "process" });
  for (let n = 0; n < count; n++) {
    const { lease, lastSeq } = await beginTask(store);
    await checkpoints(store, lease, lastSeq, 1);
  }
  await store.close();
}

async function makeTemplate(directory: string): Promise<Template> {
  const store = createFsStore({ directory, durability: "process" });
  await finishTasks(store, 1);
  await store.close();
  const tasks = readdirSync(join(directory, "tasks"), { recursive: true, encoding: "utf8" });
  const [, id = ""] = (tasks.find((name) => name.includes("journal.")) ?? "").split("/");
  const keys = readdirSync(join(directory, "keys"), { recursive: true, encoding: "utf8" });
  const done = readdirSync(join(directory, "done"));
  return {
    id,
    journals: readJournals(placeOf(directory, id)),
    claim: readFileSync(join(directory, "keys", keys.find((name) => /\/\d+$/.test(name)) ?? ""), "utf8"),
    finishedLine: readFileSync(join(directory, "done", done[0] ?? ""), "utf8"),
  };
}

/** The folder of a task. */
function placeOf(directory: string, id: string): string {
  return join(directory, "tasks", (crc32(id) & 0xff).toString(16).padStart(2, "0"), id);
}

/** The journals of a task, without the room that was made beforehand. */
function readJournals(place: string): Template["journals"] {
  const names = readdirSync(place).filter((name) => name.startsWith("journal."));
  return names.map((name) => [name, readFileSync(join(place, name), "utf8").replace(/\0+$/, "")] as const);
}

/** Another id of the same length, so that all lengths in the files stay right. */
function idOf(id: string, n: number): string {
  return `copied-task-${String(n).padStart(9, "0")}-`.padEnd(id.length, "x").slice(0, id.length);
}

function copyTask(directory: string, template: Pick<Template, "id" | "journals">, id: string): void {
  const place = placeOf(directory, id);
  mkdirSync(place, { recursive: true });
  for (const [name, text] of template.journals) {
    const lines = renamed(text, template.id, id).split("\n").slice(0, -1);
    writeFileSync(join(place, name), lines.map(withChecksum).join(""));
  }
}

/** A claim of another call, in one of the folders that claims share. */
function claim(directory: string, template: Template, id: string, claims: Map<string, number>): void {
  const bucket = (crc32(`claim of ${id}`) & 0xfff).toString(16).padStart(3, "0");
  const number = (claims.get(bucket) ?? 0) + 1;
  claims.set(bucket, number);
  const folder = join(directory, "keys", bucket);
  if (number === 1) mkdirSync(folder, { recursive: true });
  const path = join(folder, String(number));
  const text = renamed(template.claim, template.id, id).replace(/"hash":"[0-9a-f]+"/, `"hash":"${bucket}${id}"`);
  writeFileSync(path, text, { flag: "w" });
}

/** A text about another task: with its id, and an incarnation of its own. */
function renamed(text: string, from: string, to: string): string {
  const number = `${to[0]}${to.replace(/\D/g, "").slice(0, 9).padStart(11, "-")}`;
  return text.replaceAll(from, to).replace(/("incarnation":")[\w-]{12}"/g, `$1${number}"`);
}

/** A line with the checksum of what follows it, as the store writes it. */
function withChecksum(line: string): string {
  const body = line.trimEnd().slice('{"crc":"00000000",'.length);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`;
}
