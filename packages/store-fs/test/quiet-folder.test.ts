import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import type { Host } from "../src/disk/platform.js";
import { failingDisk } from "./failing-disk.js";
import { at, checkpoint, commit, create, emptyFolder, folderOf, lease, openStore, ttlMs } from "./scene.js";

/** The machine's disk, which counts how often a folder of a task is listed. */
function countingDisk(part: string) {
  const counts = { lists: 0 };
  const list = (folder: string) => {
    if (folder.includes(part)) counts.lists += 1;
    return nodeDisk.list(folder);
  };
  return { counts, disk: { ...nodeDisk, list } };
}

const markersIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("quiet."));

test("commits of a task that no other process touches list its folder once", async () => {
  const { disk, counts } = countingDisk("task-------");
  const store = openStore(emptyFolder(), { durability: "process", disk });
  const id = await create(store, "task");
  const held = await lease(store, id);
  await commit(store, held, 1, [checkpoint(1)]);
  counts.lists = 0;
  for (let seq = 2; seq < 20; seq += 1) await commit(store, held, seq, [checkpoint(seq)]);
  expect(counts.lists).toBe(0);
});

test("the commit after another process's request returns it, and so does every one until it is carried out (G8)", async () => {
  const directory = emptyFolder();
  const [runs, asks] = [openStore(directory), openStore(directory)];
  const id = await create(runs, "task");
  const held = await lease(runs, id);
  await commit(runs, held, 1, [checkpoint(1)]);
  await asks.signal(id, { kind: "pause" });
  const first = await runs.commit({ lease: held, afterSeq: 2, events: [checkpoint(2)], consume: [], now: at(0) });
  const second = await runs.commit({ lease: held, afterSeq: 3, events: [checkpoint(3)], consume: [], now: at(0) });
  expect(first.signals.map(({ kind }) => kind)).toEqual(["pause"]);
  expect(second.signals).toEqual(first.signals);
  const consume = first.signals.map((signal) => signal.id);
  const third = await runs.commit({ lease: held, afterSeq: 4, events: [checkpoint(4)], consume, now: at(0) });
  const fourth = await runs.commit({ lease: held, afterSeq: 5, events: [checkpoint(5)], consume: [], now: at(0) });
  expect([third.signals, fourth.signals]).toEqual([[], []]);
});

test("the commit after another process's take-over is refused (G4)", async () => {
  const directory = emptyFolder();
  const [sleeps, takes] = [openStore(directory), openStore(directory, { host: stranger })];
  const id = await create(sleeps, "task");
  const held = await lease(sleeps, id);
  await commit(sleeps, held, 1, [checkpoint(1)]);
  await takes.acquireLease({ taskId: id, worker: "worker-b", ttlMs, now: at(0) });
  await lease(takes, id, "worker-b", at(ttlMs));
  await expect(commit(sleeps, held, 2, [checkpoint(2)])).rejects.toMatchObject({ code: "LEASE_LOST" });
});

test("a marker that cannot be left keeps no commit from being acknowledged, nor from being refused", async () => {
  const directory = emptyFolder();
  const disk = failingDisk((_, path) => (path.includes("quiet.") ? "ENOSPC" : undefined));
  const [full, asks] = [openStore(directory, { disk }), openStore(directory)];
  const id = await create(full, "task");
  const held = await lease(full, id);
  await commit(full, held, 1, [checkpoint(1)]);
  await asks.signal(id, { kind: "cancel" });
  const { signals } = await full.commit({ lease: held, afterSeq: 2, events: [], consume: [], now: at(0) });
  expect(signals.map(({ kind }) => kind)).toEqual(["cancel"]);
});

test("no marker is left behind by a lease that was given back", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const id = await create(store, "task");
  const held = await lease(store, id);
  await commit(store, held, 1, [checkpoint(1)]);
  expect(markersIn(folderOf(directory, id))).toHaveLength(1);
  await store.releaseLease(held);
  expect(markersIn(folderOf(directory, id))).toEqual([]);
});

/** A process of which only the heartbeat can be seen. */
const stranger: Host = {
  identity: { host: "elsewhere", bootId: "", processNamespace: "", pid: 1, startTime: "" },
  processState: () => "unknown",
};
