import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createByteLoop, pathOf } from "../src/peers/byte-loop.js";
import { type CheckpointKeeper, someCheckpoint } from "../src/peers/checkpoint-keeper.js";
import { createJsonFileKeeper, createLowdbKeeper } from "../src/peers/json-keepers.js";
import { createSdkEventKeeper } from "../src/peers/sdk-event-keeper.js";
import { createSqliteKeeper } from "../src/peers/sqlite-keeper.js";
import { createStoreKeeper } from "../src/peers/store-keeper.js";

function emptyFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "resumable-bench-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const keepers: readonly (readonly [string, (directory: string) => CheckpointKeeper | Promise<CheckpointKeeper>])[] = [
  ["this project's store, machine", (directory) => createStoreKeeper(directory, "machine")],
  ["this project's store, process", (directory) => createStoreKeeper(directory, "process")],
  ["one JSON file that is rewritten whole", createJsonFileKeeper],
  ["lowdb with one file", createLowdbKeeper],
  ["SQLite with a write-ahead log", createSqliteKeeper],
  ["the SDK's in-memory event store", createSdkEventKeeper],
];

describe.each(keepers)("%s", (_, create) => {
  test("keeps each checkpoint of two tasks, and reads back the last of each", async () => {
    const keeper = await create(emptyFolder());
    for (const task of ["one", "two"]) await keeper.begin(task);
    for (let progress = 1; progress <= 5; progress++) await keeper.keep("one", someCheckpoint(progress));
    await keeper.keep("two", someCheckpoint(7));
    expect(await keeper.read("one")).toEqual({ latest: someCheckpoint(5), count: 5 });
    expect(await keeper.read("two")).toEqual({ latest: someCheckpoint(7), count: 1 });
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
