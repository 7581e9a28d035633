import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { at, checkpoint, commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

const durability = "process";
/** More than the store keeps journals of in memory, and writes down. */
const many = 300;
const ids = Array.from({ length: many }, (_, n) => `task-${String(n).padStart(11, "0")}`);

async function fill(store: Store): Promise<void> {
  await Promise.all(ids.map((id) => create(store, id)));
}

/** A disk that says which files of tasks were opened. */
function openingDisk() {
  const opened = new Set<string>();
  const open: typeof nodeDisk.open = (path, flags) => {
    const [, id] = /tasks[/\\]..[/\\]([^/\\]+)/.exec(path) ?? [];
    if (id !== undefined) opened.add(id);
    return nodeDisk.open(path, flags);
  };
  return { opened, disk: { ...nodeDisk, open } };
}

const look = (store: Store, ms = 0, limit = 1) => store.listRunnable({ tools: ["count_words"], limit, now: at(ms) });
const paused = async (store: Store) =>
  (await store.listTasks({ limit: many, statuses: ["paused"] })).tasks.map(({ id }) => id);

test("looks, lists and counts read the journals of those tasks that changed alone (bar of the waiting tasks)", async () => {
  const directory = emptyFolder();
  const writer = openStore(directory, { durability });
  await fill(writer);
  const { opened, disk } = openingDisk();
  const store = openStore(directory, { durability, disk });
  await look(store);
  expect(opened.size).toBe(many);
  opened.clear();
  for (const id of [ids[7] ?? "", ids[250] ?? ""]) await writer.signal(id, { kind: "pause" });
  expect(await paused(store)).toEqual([ids[7], ids[250]]);
  expect((await store.countTasks({})).byStatus).toEqual({ pending: many - 2, paused: 2 });
  for (let ms = 0; ms < 10_000; ms += 1_000) await look(store, ms);
  const others = (changed: readonly unknown[]) => [...opened].filter((id) => !changed.includes(id));
  expect(others([ids[7], ids[250]])).toEqual([]);
  const made = await create(writer, "new");
  expect((await store.listTasks({ limit: 1, owner: "client:test" })).tasks).toHaveLength(1);
  expect((await store.countTasks({})).total).toBe(many + 1);
  expect(others([made, ids[7], ids[250]])).toEqual([]);
});

test("a change that was not noted is found by looks for work, and a run that was not noted at once", async () => {
  const directory = emptyFolder();
  let isFailing = false;
  const open: typeof nodeDisk.open = (path, flags) => {
    if (isFailing && path.endsWith("notifications"))
      throw Object.assign(new Error("EIO"), { code: "EIO", syscall: "open" });
    return nodeDisk.open(path, flags);
  };
  const writer = openStore(directory, { durability, disk: { ...nodeDisk, open } });
  await fill(writer);
  isFailing = true;
  const store = openStore(directory, { durability });
  await look(store);
  await writer.signal(ids[123] ?? "", { kind: "pause" });
  for (let ms = 0; ms <= 1_000 * (many / 64 + 1); ms += 1_000) await look(store, ms);
  expect(await paused(store)).toEqual([ids[123]]);
  const held = await lease(writer, ids[9] ?? "");
  const seq = (
    await commit(writer, held, 1, [{ type: "attempt_started", attempt: 1, worker: "worker-a", toolVersion: "1" }])
  ).lastSeq;
  expect(
    await store.acquireLease({ taskId: ids[9] ?? "", worker: "worker-b", ttlMs: 10_000, now: at(0) }),
  ).toBeUndefined();
  const running = async () =>
    (await store.listTasks({ limit: 10, statuses: ["running"] })).tasks.map(({ id, progress }) => [id, progress]);
  expect(await running()).toEqual([[ids[9], 0]]);
  await commit(writer, held, seq, [checkpoint(5)]);
  expect(await running()).toEqual([[ids[9], 5]]);
});

test("what a process wrote down of the tasks that it knew is checked by the next one, and may be lost or damaged", async () => {
  const directory = emptyFolder();
  const written = join(directory, "open.jsonl");
  const writer = openStore(directory, { durability });
  await fill(writer);
  const first = openStore(directory, { durability });
  await look(first);
  await first.close();
  await writer.signal(ids[5] ?? "", { kind: "pause" });
  rmSync(folderOf(directory, ids[6] ?? ""), { recursive: true });
  const { opened, disk } = openingDisk();
  const second = openStore(directory, { durability, disk });
  expect(await paused(second)).toEqual([ids[5]]);
  expect((await second.countTasks({})).total).toBe(many - 1);
  expect([...opened].sort()).toEqual([ids[5]]);
  const text = readFileSync(written, "utf8");
  for (const damaged of [text.replace('"pending"', '"running"'), text.slice(0, -10), "", "\0\0\0", "{}\n"]) {
    writeFileSync(written, damaged);
    const next = openStore(directory, { durability });
    expect([await paused(next), (await next.countTasks({})).total]).toEqual([[ids[5]], many - 1]);
    await next.close();
  }
});

test("a store whose notes are emptied, replaced or removed lists what changed meanwhile", async () => {
  const directory = emptyFolder();
  const notes = join(directory, "notifications");
  const writer = openStore(directory, { durability });
  await fill(writer);
  const store = openStore(directory, { durability });
  await look(store);
  const pause = async (n: number) => {
    await writer.signal(ids[n] ?? "", { kind: "pause" });
    return (await paused(store)).includes(ids[n] ?? "");
  };
  expect(await pause(1)).toBe(true);
  appendFileSync(notes, "x".repeat(1024 * 1024));
  expect(await pause(2)).toBe(true);
  expect(readFileSync(notes).byteLength).toBeLessThan(1024);
  expect(await pause(3)).toBe(true);
  writeFileSync(notes, "");
  expect(await pause(4)).toBe(true);
  rmSync(notes);
  expect([await pause(5), existsSync(notes)]).toEqual([true, false]);
  expect(await pause(6)).toBe(true);
});
