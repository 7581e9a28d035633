import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createFsStore } from "@resumable-mcp/store-fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createByteLoop, pathOf } from "../src/peers/byte-loop.js";
import { type Checkpoint, type CheckpointKeeper, someCheckpoint } from "../src/peers/checkpoint-keeper.js";
import { createSqliteKeeper } from "../src/peers/sqlite-keeper.js";
import { createStoreKeeper } from "../src/peers/store-keeper.js";

function emptyFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "resumable-bench-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What was kept of one task: the last checkpoint, and how many there are. */
interface Kept {
  readonly latest: Checkpoint | undefined;
  readonly count: number;
}

interface Case {
  readonly create: (directory: string) => CheckpointKeeper | Promise<CheckpointKeeper>;
  /** Reads past the keeper, from where it keeps. */
  readonly read: (directory: string, taskId: string) => Kept | Promise<Kept>;
}

/** Tasks have ids of the store's own: they are distinguished by how many checkpoints they have. */
async function readStore(directory: string, taskId: string): Promise<Kept> {
  const store = createFsStore({ directory });
  onTestFinished(() => store.close());
  const found: Kept[] = [];
  for (const { id } of (await store.listTasks({ limit: 10 })).tasks) {
    const { events } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
    const kept = events.flatMap((event) => (event.type === "checkpoint" ? [event] : []));
    const { progress = 0, total = 0, message = "", state = null } = kept.at(-1) ?? {};
    found.push({ latest: { progress, total, message, state }, count: kept.length });
  }
  const [many, few] = found.sort((left, right) => right.count - left.count);
  const kept = taskId === "one" ? many : few;
  return kept ?? { latest: undefined, count: 0 };
}

function readSqlite(directory: string, taskId: string): Kept {
  const reader = new DatabaseSync(join(directory, "tasks.db"), { readOnly: true });
  try {
    const task = reader.prepare("SELECT record FROM task WHERE id = ?").get(taskId);
    const events = reader.prepare("SELECT count(*) AS count FROM event WHERE task = ?").get(taskId);
    return { latest: JSON.parse(String(task?.record)), count: Number(events?.count) };
  } finally {
    reader.close();
  }
}

const cases: readonly (readonly [string, Case])[] = [
  [
    "this project's store, machine",
    { create: (directory) => createStoreKeeper(directory, "machine"), read: readStore },
  ],
  [
    "this project's store, process",
    { create: (directory) => createStoreKeeper(directory, "process"), read: readStore },
  ],
  ["SQLite with a write-ahead log", { create: createSqliteKeeper, read: readSqlite }],
];

async function keepTwoTasks(keeper: CheckpointKeeper): Promise<void> {
  for (const task of ["one", "two"]) await keeper.begin(task);
  for (let progress = 1; progress <= 5; progress++) await keeper.keep("one", someCheckpoint(progress));
  await keeper.keep("two", someCheckpoint(7));
}

describe.each(cases)("%s", (_, { create, read }) => {
  test("keeps each checkpoint of two tasks, and reads back the last of each", async () => {
    const directory = emptyFolder();
    const keeper = await create(directory);
    await keepTwoTasks(keeper);
    expect(await read(directory, "one")).toEqual({ latest: someCheckpoint(5), count: 5 });
    expect(await read(directory, "two")).toEqual({ latest: someCheckpoint(7), count: 1 });
    await keeper.close();
  });
});

describe("the bare loop", () => {
  test.each([true, false])("leaves each line in each file (synced: %s)", async (durable) => {
    const directory = emptyFolder();
    const loop = createByteLoop(directory, Buffer.from("a line\n"), 3, durable);
    await loop.run(4);
    loop.close();
    const texts = [0, 1, 2].map((index) => readFileSync(pathOf(directory, index), "utf8"));
    expect(texts).toEqual(Array.from({ length: 3 }, () => "a line\n".repeat(4)));
  });
});
