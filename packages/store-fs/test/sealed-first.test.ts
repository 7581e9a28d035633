import { copyFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { checkpoint, commit, create, emptyFolder, folderOf, journalOf, lease, openStore } from "./scene.js";

/** The machine's disk, which tells when the content of journals is written and when it is synced. */
function loggingDisk() {
  const paths = new Map<number, string>();
  const log: string[] = [];
  const tell = (what: string, file: number) => {
    const name = basename(paths.get(file) ?? "");
    if (name.startsWith("journal.")) log.push(`${what} ${name}`);
  };
  const disk: Disk = {
    ...nodeDisk,
    open(path, flags) {
      const file = nodeDisk.open(path, flags);
      paths.set(file, path);
      return file;
    },
    write(file, bytes, position) {
      tell("write", file);
      return nodeDisk.write(file, bytes, position);
    },
    async syncData(file) {
      tell("sync", file);
      await nodeDisk.syncData(file);
      tell("synced", file);
    },
    syncDataNow(file) {
      nodeDisk.syncDataNow(file);
      tell("synced", file);
    },
  };
  return { disk, log };
}

test("what a rotation seals is on the disk before the seal, though another commit is under way (G1)", async () => {
  const { disk, log } = loggingDisk();
  const store = openStore(emptyFolder(), { disk, limits: { rotateBytes: 1 } });
  const id = await create(store, "task");
  const held = await lease(store, id);
  const big = { type: "checkpoint", state: "x".repeat(5_000) } as const;
  log.length = 0;
  await Promise.all([commit(store, held, 1, [big]), commit(store, held, 2, [checkpoint(1)])]);
  const before = log.slice(0, log.indexOf("write journal.3.jsonl"));
  expect(before.filter((line) => line.startsWith("write"))).toEqual(["write journal.2.jsonl", "write journal.2.jsonl"]);
  expect(before.lastIndexOf("synced journal.2.jsonl")).toBeGreaterThan(before.lastIndexOf("sync journal.2.jsonl"));
  expect(before.filter((line) => line.startsWith("synced"))).toHaveLength(2);
});

test("what a reader seals after a taker's death is on the disk before its seal (G1)", async () => {
  const directory = emptyFolder();
  const writer = openStore(directory, { durability: "process" });
  const id = await create(writer, "task");
  await commit(writer, await lease(writer, id), 1, [checkpoint(1)]);
  writeFileSync(join(folderOf(directory, id), "journal.3.jsonl"), "");
  const { disk, log } = loggingDisk();
  const reader = openStore(directory, { disk });
  expect((await reader.getTask(id))?.record.lastSeq).toBe(2);
  expect(log.indexOf("synced journal.2.jsonl")).toBeGreaterThanOrEqual(0);
  expect(log.indexOf("synced journal.2.jsonl")).toBeLessThan(log.indexOf("write journal.4.jsonl"));
});

test("a reader continues with the newer file when the one that it was about to sync was made superfluous", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  const id = await create(store, "task");
  const first = await lease(store, id);
  const old = journalOf(directory, id);
  copyFileSync(old, `${old}.kept`);
  await store.releaseLease(first);
  await store.releaseLease(await lease(store, id));
  const newer = journalOf(directory, id);
  renameSync(newer, `${newer}.kept`);
  renameSync(`${old}.kept`, old);
  let removed = false;
  const disk: Disk = {
    ...nodeDisk,
    open(path, flags) {
      if (!removed && path === old && flags === "r+") {
        removed = true;
        renameSync(`${newer}.kept`, newer);
        unlinkSync(old);
      }
      return nodeDisk.open(path, flags);
    },
  };
  const reader = openStore(directory, { disk });
  expect((await reader.getTask(id))?.record.lastSeq).toBe(1);
  expect(removed).toBe(true);
});
