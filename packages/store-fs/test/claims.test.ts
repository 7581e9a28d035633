import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { hashOfCall } from "../src/index/task-keys.js";
import { commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

const options = { durability: "process" } as const;

/** The files of all claims. */
function claimsOf(directory: string): readonly string[] {
  const keys = join(directory, "keys");
  return readdirSync(keys).flatMap((bucket) => readdirSync(join(keys, bucket)).map((name) => join(keys, bucket, name)));
}

test.each([
  ["empty, as a loss of power may leave it", ""],
  ["cut short", '{"hash":"'],
  ["of another kind", '{"hash":1}'],
])("a claim that is %s does not lead to a second task for its call (G7)", async (_, damage) => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const id = await create(first, "first", { key: "call" });
  await first.close();
  const [path = ""] = claimsOf(directory);
  writeFileSync(path, damage);
  const store = openStore(directory, options);
  const again = await store.createTask({ task: newTask("second", { key: "call" }), reuseResultMs: 0, now });
  expect([again.created, again.snapshot.record.id]).toEqual([false, id]);
  expect(readFileSync(path, "utf8")).toBe(damage);
  expect(claimsOf(directory)).toHaveLength(2);
  await store.createTask({ task: newTask("third", { key: "call" }), reuseResultMs: 0, now });
  expect(claimsOf(directory)).toHaveLength(2);
});

test("a damaged claim refuses the restart of a task whose call belongs to another unfinished one", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const failedId = await create(first, "failed", { key: "call" });
  const held = await lease(first, failedId);
  await commit(first, held, 1, [{ type: "failed", error: { code: "TOOL_FAILED", message: "no" } }]);
  await first.releaseLease(held);
  await create(first, "standing", { key: "call" });
  await first.close();
  const newest = claimsOf(directory).slice().sort().at(-1) ?? "";
  writeFileSync(newest, "");
  const store = openStore(directory, options);
  const restart = commit(store, await lease(store, failedId, "worker-b"), 2, [
    { type: "restarted", generation: 2, fromState: true },
  ]);
  await expect(restart).rejects.toMatchObject({ code: "KEY_TAKEN" });
});

test("a damaged claim lets a call begin again whose task is not there any more", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const held = await lease(first, await create(first, "gone", { key: "call" }));
  await commit(first, held, 1, [{ type: "completed", output: 1 }]);
  await first.deleteTask(held);
  await first.close();
  for (const path of claimsOf(directory)) writeFileSync(path, "");
  const store = openStore(directory, options);
  const made = await store.createTask({ task: newTask("next", { key: "call" }), reuseResultMs: 0, now });
  expect(made.created).toBe(true);
});

/** Names of calls whose claims share a folder. */
function callsOfOneFolder(count: number): readonly string[] {
  const folderOfCall = (key: string) => hashOfCall("client:test", key).slice(0, 3);
  const calls = ["call"];
  for (let n = 0; calls.length < count; n += 1) {
    if (folderOfCall(`call-${n}`) === folderOfCall("call")) calls.push(`call-${n}`);
  }
  return calls;
}

test("claims of other calls that share a folder are read once, not for every new task", async () => {
  const directory = emptyFolder();
  const calls = callsOfOneFolder(6);
  const first = openStore(directory, options);
  for (const [index, key] of calls.slice(0, 4).entries()) await create(first, `first-${index}`, { key });
  await first.close();
  let read = 0;
  const open: Disk["open"] = (path, flags) => {
    if (flags === "r" && path.startsWith(join(directory, "keys"))) read += 1;
    return nodeDisk.open(path, flags);
  };
  const store = openStore(directory, { ...options, disk: { ...nodeDisk, open } });
  const reads: number[] = [];
  for (const [index, key] of [...calls.slice(4), ...calls].entries()) {
    read = 0;
    const { created } = await store.createTask({ task: newTask(`next-${index}`, { key }), reuseResultMs: 0, now });
    reads.push(created ? read : -read);
  }
  // Four claims of others and its own; its own alone; and those that find a task read its claim alone.
  expect(reads).toEqual([5, 1, -1, -1, -1, -1, -1, -1]);
});

/** A task that failed, one that did the same call after it, and the lease of the first, whose restart claims the call. */
async function failedThenDone(store: Store): Promise<{ readonly done: string; readonly held: Lease }> {
  const failed = await create(store, "failed", { key: "call" });
  const held = await lease(store, failed);
  await commit(store, held, 1, [{ type: "failed", error: { code: "TOOL_FAILED", message: "no" } }]);
  const done = await create(store, "done", { key: "call" });
  const other = await lease(store, done, "worker-b");
  await commit(store, other, 1, [{ type: "completed", output: 1 }]);
  await store.releaseLease(other);
  return { done, held };
}

const restarted = { type: "restarted", generation: 2, fromState: true } as const;

test("a call goes back to the result that there was when a later task of it is deleted", async () => {
  const store = openStore(emptyFolder(), options);
  const { done, held } = await failedThenDone(store);
  await commit(store, held, 2, [restarted]);
  await store.deleteTask(held);
  const again = await store.createTask({ task: newTask("again", { key: "call" }), reuseResultMs: 1, now });
  expect([again.created, again.snapshot.record.id]).toEqual([false, done]);
});

test("a call keeps its result when the restart of another task was refused", async () => {
  const store = openStore(emptyFolder(), { ...options, limits: { maxJournalEvents: 2 } });
  const { done, held } = await failedThenDone(store);
  await expect(commit(store, held, 2, [restarted])).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  const again = await store.createTask({ task: newTask("again", { key: "call" }), reuseResultMs: 1, now });
  expect([again.created, again.snapshot.record.id]).toEqual([false, done]);
});
