import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { createHost } from "../src/disk/platform.js";
import { at, checkpoint, commit, create, emptyFolder, journalOf, lease, openStore } from "./scene.js";

const limits = { extendFromBytes: 500, maxExtendBytes: 2_000 };

async function commitMany(store: Store, held: Lease, from: number, through: number): Promise<void> {
  for (let seq = from; seq < through; seq += 1) await commit(store, held, seq, [checkpoint(seq, [`item ${seq}`])]);
}

async function expectWhole(store: Store, id: string, lastSeq: number): Promise<void> {
  const page = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
  expect(page.events.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  expect((await store.readItems(id, { after: 0, limit: 1_000 })).items).toHaveLength(lastSeq - 1);
}

/** A host to which every other process is dead. */
const heir = () => ({ ...createHost(), processState: () => "dead" as const });

test("a journal that is extended beforehand reads as if it were not, in its own process and in another", async () => {
  const directory = emptyFolder();
  const [writes, reads] = [openStore(directory, { limits }), openStore(directory)];
  const id = await create(writes, "task");
  const held = await lease(writes, id);
  await commitMany(writes, held, 1, 40);
  expect(readFileSync(journalOf(directory, id)).at(-1)).toBe(0);
  for (const store of [writes, reads]) await expectWhole(store, id, 40);
  await commitMany(writes, held, 40, 60);
  for (const store of [writes, reads]) await expectWhole(store, id, 60);
});

test("a journal is cut to its length when its lease is given back", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, { limits });
  const id = await create(store, "task");
  const held = await lease(store, id);
  await commitMany(store, held, 1, 40);
  const extended = statSync(journalOf(directory, id)).size;
  await store.releaseLease(held);
  const bytes = readFileSync(journalOf(directory, id));
  expect(bytes.byteLength).toBeLessThan(extended);
  expect(bytes.includes(0)).toBe(false);
});

test("a worker that takes over from a dead process loses nothing and continues behind what was written (G1)", async () => {
  const directory = emptyFolder();
  const dies = openStore(directory, { limits });
  const id = await create(dies, "task");
  await commitMany(dies, await lease(dies, id), 1, 40);
  const next = openStore(directory, { limits, host: heir() });
  const held = await lease(next, id, "worker-b", at(1));
  await commitMany(next, held, 40, 80);
  await expectWhole(next, id, 80);
});

test("a line of which power loss left only the end is dropped", async () => {
  const directory = emptyFolder();
  const dies = openStore(directory, { limits });
  const id = await create(dies, "task");
  await commitMany(dies, await lease(dies, id), 1, 40);
  const path = journalOf(directory, id);
  const bytes = readFileSync(path);
  const written = bytes.indexOf(0);
  const lastLine = bytes.lastIndexOf(10, written - 2) + 1;
  writeFileSync(path, bytes.fill(0, lastLine, lastLine + 20));
  await expectWhole(openStore(directory, { host: heir() }), id, 39);
});

test("zeros in place of lines that others follow set the task aside (G12)", async () => {
  const directory = emptyFolder();
  const dies = openStore(directory, { limits });
  const id = await create(dies, "task");
  await commitMany(dies, await lease(dies, id), 1, 40);
  const path = journalOf(directory, id);
  writeFileSync(path, readFileSync(path).fill(0, 1_500, 1_700));
  const reads = openStore(directory, { host: heir() });
  await expect(reads.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
});

test("a disk without room for the extension takes the commits all the same", async () => {
  const directory = emptyFolder();
  const full = () => Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC", syscall: "write" });
  const disk: Disk = {
    ...nodeDisk,
    write(file, bytes, position) {
      if (bytes[0] === 0) throw full();
      return nodeDisk.write(file, bytes, position);
    },
  };
  const store = openStore(directory, { limits, disk });
  const id = await create(store, "task");
  await commitMany(store, await lease(store, id), 1, 40);
  await expectWhole(store, id, 40);
});
