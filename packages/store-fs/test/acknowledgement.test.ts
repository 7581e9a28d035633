import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { commit, create, emptyFolder, lease, openStore } from "./scene.js";

test("while a commit waits for its sync, readers see the request that it carries out, and none of its events (G3)", async () => {
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
  const pending = (before?.signals ?? []).map((signal) => signal.id);
  const committing = commit(store, writer, 1, [{ type: "desiredState", desiredState: "pause" }], pending);
  await syncing;
  expect(await store.getTask(id)).toEqual(before);
  slow = false;
  release();
  await committing;
  expect(await store.getTask(id)).toMatchObject({ record: { desiredState: "pause", lastSeq: 2 }, signals: [] });
});

test("who reads while an answer is carried out sees it pending or carried out, never as if there were none (G9)", async () => {
  const store = openStore(emptyFolder(), { durability: "process" });
  const id = await create(store, "task");
  const writer = await lease(store, id);
  const answer = { action: "decline" } as const;
  await commit(store, writer, 1, [{ type: "asked", key: "go", question: { message: "?", schema: {} } }]);
  await store.signal(id, { kind: "answer", key: "go", answer });
  const pending = (await store.getTask(id))?.signals ?? [];
  const reading = store.getTask(id);
  const committing = commit(
    store,
    writer,
    2,
    [{ type: "answered", key: "go", answer }],
    pending.map((signal) => signal.id),
  );
  expect(await reading).toMatchObject({ record: { lastSeq: 2 }, signals: [{ kind: "answer", key: "go", answer }] });
  await committing;
  expect(await store.getTask(id)).toMatchObject({ record: { lastSeq: 3 }, signals: [] });
});
