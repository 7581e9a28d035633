import { expect, test } from "vitest";
import { nodeDisk } from "../src/node-disk.js";
import { commit, create, emptyFolder, lease, openStore } from "./scene.js";

test("while a commit waits for its sync, readers see the wish that it carries out, and none of its events (G3)", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reachSync = () => {};
  const syncing = new Promise<void>((resolve) => {
    reachSync = resolve;
  });
  let slow = false;
  const disk = {
    ...nodeDisk,
    async syncData(file: number) {
      if (slow) {
        reachSync();
        await held;
      }
      await nodeDisk.syncData(file);
    },
  };
  const store = openStore(emptyFolder(), { disk });
  const id = await create(store, "task");
  const writer = await lease(store, id);
  await store.signal(id, { kind: "pause" });
  const before = await store.getTask(id);
  slow = true;
  const wishes = (before?.signals ?? []).map((signal) => signal.id);
  const committing = commit(store, writer, 1, [{ type: "desired", desired: "pause" }], wishes);
  await syncing;
  expect(await store.getTask(id)).toEqual(before);
  slow = false;
  release();
  await committing;
  expect(await store.getTask(id)).toMatchObject({ record: { desired: "pause", lastSeq: 2 }, signals: [] });
});
