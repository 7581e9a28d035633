import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { encodeLine } from "../src/disk/checked-line.js";
import { checkpoint, commit, create, emptyFolder, journalOf, lease, openStore } from "./scene.js";

const options = { durability: "process" } as const;
const corrupt = { code: "TASK_CORRUPT" };

async function run(store: Store, id: string, isEnd: boolean): Promise<string> {
  const taskId = await create(store, id);
  const held = await lease(store, taskId);
  await commit(store, held, 1, [isEnd ? { type: "completed", output: 1 } : checkpoint(1)]);
  await store.releaseLease(held);
  return taskId;
}

/** Cuts the last line off a journal: what is left of it is sound. */
function loseEnd(directory: string, id: string): void {
  const path = journalOf(directory, id);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.lastIndexOf(10, bytes.lastIndexOf(10) - 1) + 1));
}

function changedAt(bytes: Buffer, offset: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[offset] = (changed[offset] ?? 0) ^ 1;
  return changed;
}

/** A folder with an open task and two that finished, of which one lost its journal's end, and the file with their lines. */
async function lost() {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const open = await run(first, "open", false);
  await run(first, "neighbour", true);
  const victim = await run(first, "victim", true);
  await first.close();
  loseEnd(directory, victim);
  const [name = ""] = readdirSync(join(directory, "done"));
  const path = join(directory, "done", name);
  return { directory, open, victim, path, bytes: readFileSync(path) };
}

describe("a task that finished and whose journal lost its end", () => {
  test.each([false, true])("is set aside before it runs again (marker: %s) (G12)", async (isMarked) => {
    const { directory, open, victim } = await lost();
    if (isMarked) writeFileSync(join(directory, "open", victim), "");
    const store = openStore(directory, options);
    expect((await store.getTask(open))?.record.lastSeq).toBe(2);
    await expect(store.getTask(victim)).rejects.toMatchObject(corrupt);
  });

  test("is set aside where its line was appended after the lines were looked at (G12)", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, options);
    const open = await run(first, "open", false);
    await run(first, "neighbour", true);
    const store = openStore(directory, options);
    expect((await store.getTask(open))?.record.lastSeq).toBe(2);
    const victim = await run(first, "victim", true);
    await first.close();
    expect(readdirSync(join(directory, "done"))).toHaveLength(1);
    loseEnd(directory, victim);
    await expect(store.getTask(victim)).rejects.toMatchObject(corrupt);
    expect((await store.getTask(open))?.record.lastSeq).toBe(2);
  });

  test("is set aside where its line was appended after the tasks were listed (G12)", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, options);
    await run(first, "neighbour", true);
    const store = openStore(directory, options);
    expect((await store.listTasks({ limit: 10 })).tasks).toHaveLength(1);
    const victim = await run(first, "victim", true);
    await first.close();
    loseEnd(directory, victim);
    await expect(store.getTask(victim)).rejects.toMatchObject(corrupt);
  });

  test("is set aside wherever the line of another task is damaged (G12)", async () => {
    const { bytes } = await lost();
    for (let offset = 0; offset < bytes.indexOf(10); offset += 40) {
      const { directory, victim, path, bytes: own } = await lost();
      writeFileSync(path, changedAt(own, offset));
      await expect(openStore(directory, options).getTask(victim), `byte ${offset}`).rejects.toMatchObject(corrupt);
    }
  });

  test("is set aside where its line has its parts in another order (G12)", async () => {
    const { directory, victim, path, bytes } = await lost();
    const lines = bytes.toString().trimEnd().split("\n");
    const { crc: _, id, ...rest } = JSON.parse(lines.find((line) => line.includes(`"id":"${victim}"`)) ?? "");
    writeFileSync(path, encodeLine(JSON.stringify({ ...rest, id })));
    await expect(openStore(directory, options).getTask(victim)).rejects.toMatchObject(corrupt);
  });

  test("counts up to where its journal ends when its line is damaged, wherever that is", async () => {
    const { directory, victim, path, bytes } = await lost();
    const start = bytes.indexOf(10) + 1;
    for (let offset = start; offset < bytes.byteLength - 1; offset += 7) {
      writeFileSync(path, changedAt(bytes, offset));
      const store = openStore(directory, options);
      expect((await store.getTask(victim))?.record.lastSeq, `byte ${offset}`).toBe(1);
      await store.close();
    }
  });
});
