import { expect, onTestFinished, test } from "vitest";
import { failingDisk } from "./failing-disk.js";
import { checkpoint, commit, create, emptyFolder, lease, now, openStore } from "./scene.js";

test("a lease whose commit failed takes no more commits, and the next lease of the same store does", async () => {
  let full = false;
  const disk = failingDisk((operation, path) =>
    full && operation === "write" && path.includes("journal") ? "short" : undefined,
  );
  const store = openStore(emptyFolder(), { durability: "process", disk });
  const id = await create(store, "task");
  const held = await lease(store, id);
  full = true;
  await expect(commit(store, held, 1, [checkpoint(1)])).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
  await expect(commit(store, held, 1, [checkpoint(1)])).rejects.toMatchObject({ code: "LEASE_LOST" });
  await expect(lease(store, id)).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
  full = false;
  await store.releaseLease(held);
  const next = await lease(store, id);
  expect(await commit(store, next, 1, [checkpoint(1)])).toMatchObject({ lastSeq: 2 });
});

test("a journal that cannot be closed without an error ends no process, and the task is finished", async () => {
  let failing = false;
  const disk = failingDisk((operation, path) =>
    failing && operation === "close" && path.includes("journal.") ? "EIO" : undefined,
  );
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const limits = { rotateBytes: 300, maxJournalFiles: 100 };
  const store = openStore(emptyFolder(), { durability: "process", limits, disk });
  const id = await create(store, "task");
  const held = await lease(store, id);
  failing = true;
  let lastSeq = 1;
  for (let progress = 1; progress <= 20; progress += 1) {
    ({ lastSeq } = await commit(store, held, lastSeq, [checkpoint(progress, ["x".repeat(100)])]));
  }
  await commit(store, held, lastSeq, [{ type: "completed", output: 1 }]);
  await store.releaseLease(held);
  await store.close();
  // The process hears of a rejection without a handler after the microtasks of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect({ unhandled, open: disk.openFiles() }).toEqual({ unhandled: [], open: [] });
});

test("a folder that cannot be written says so at the first call", async () => {
  const disk = failingDisk((operation) => (operation === "mkdir" ? "EIO" : undefined));
  const store = openStore(emptyFolder(), { disk });
  await expect(store.countTasks({})).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
});

test("a lease whose file could not be removed is given back by the next heartbeat", async () => {
  const directory = emptyFolder();
  let failing = true;
  const disk = failingDisk((operation, path) =>
    failing && operation === "unlink" && path.includes("/lease.") ? "EACCES" : undefined,
  );
  const store = openStore(directory, { durability: "process", disk });
  const other = openStore(directory, { durability: "process" });
  const id = await create(store, "task");
  await store.releaseLease(await lease(store, id));
  expect((await store.getTask(id))?.leased).toBe(false);
  expect((await other.getTask(id))?.leased).toBe(true);
  failing = false;
  await store.heartbeat({ worker: "worker-a", now });
  expect((await other.getTask(id))?.leased).toBe(false);
});

test("a failure says what to do, and only its details name a path of this machine (G12)", async () => {
  const directory = emptyFolder();
  let full = false;
  const disk = failingDisk((operation) => (full && operation === "write" ? "ENOSPC" : undefined));
  const store = openStore(directory, { disk });
  await store.countTasks({});
  full = true;
  const error: unknown = await create(store, "task").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "STORE_WRITE_FAILED",
    message: "The store could not be written (ENOSPC: write). Make room on the disk; unfinished tasks then continue.",
    details: { path: expect.stringContaining(directory) },
  });
});
