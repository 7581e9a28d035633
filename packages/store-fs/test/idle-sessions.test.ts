import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { at, emptyFolder, openStore } from "./scene.js";

const putSession = (store: ReturnType<typeof openStore>, index: number, ms: number) => {
  const id = `session-of-this-test-${index}`;
  return store.putDocument({ kind: "session", id, owner: "session:test", value: {}, expectedVersion: 0, now: at(ms) });
};

test("looking for idle sessions reads none that was put since, and lets everything else have its turn (G11)", async () => {
  const directory = emptyFolder();
  const writer = openStore(directory, { durability: "process" });
  for (let index = 0; index < 100; index += 1) await putSession(writer, index, 1_000 + index);
  const reads = { count: 0 };
  const list = (folder: string) => {
    reads.count += 1;
    return nodeDisk.list(folder);
  };
  const store = openStore(directory, { durability: "process", disk: { ...nodeDisk, list } });
  const idleSinceMs = at(1_003).wallMs;
  let turns = 0;
  let immediate: NodeJS.Immediate | undefined;
  const turn = () => {
    turns += 1;
    immediate = setImmediate(turn);
  };
  immediate = setImmediate(turn);
  const first = await store.listIdleDocuments({ kind: "session", idleSinceMs, limit: 10 });
  clearImmediate(immediate);
  expect(first.map(({ id }) => id)).toEqual([0, 1, 2].map((index) => `session-of-this-test-${index}`));
  expect(turns).toBeGreaterThanOrEqual(3);
  reads.count = 0;
  expect(await store.listIdleDocuments({ kind: "session", idleSinceMs, limit: 10 })).toEqual(first);
  // The folder of all sessions, and those of the three that are idle.
  expect(reads.count).toBe(4);
});

test("a damaged session that another process sets aside just now is none, and can begin again (G12)", async () => {
  const directory = emptyFolder();
  const writer = openStore(directory, { durability: "process" });
  await putSession(writer, 0, 0);
  const path = join(directory, "documents", "session", "session-of-this-test-0", "1.json");
  writeFileSync(path, "damaged\n");
  const rename = (from: string, to: string) => {
    // The other process has kept it under a name of its own.
    if (from === path) nodeDisk.rename(from, `${to}.2`);
    nodeDisk.rename(from, to);
  };
  const store = openStore(directory, { durability: "process", disk: { ...nodeDisk, rename } });
  expect(await store.getDocument("session", "session-of-this-test-0")).toBeUndefined();
  expect((await putSession(store, 0, 1)).version).toBe(1);
});
