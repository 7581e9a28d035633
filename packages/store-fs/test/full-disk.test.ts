import { isResumableError, type Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { failingDisk, type Verdict } from "./failing-disk.js";
import { checkpoint, commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

type Failure = "ENOSPC" | "EIO" | "short";

/** What callers were told has happened. */
interface Told {
  created: boolean;
  lastSeq: number;
  answered: boolean;
  finished: boolean;
}

/** A task's whole life. What fails once is told of nobody and tried again from a fresh lease, as an engine would. */
async function live(store: Store, told: Told): Promise<void> {
  const { snapshot } = await store.createTask({ task: newTask("task", { key: "call" }), reuseResultMs: 0, now });
  told.created = true;
  const { id } = snapshot.record;
  const held = await lease(store, id);
  const asked = [{ type: "asked", key: "go", question: { message: "?", schema: {} } }] as const;
  told.lastSeq = (await commit(store, held, 1, [checkpoint(1, ["a"]), ...asked])).lastSeq;
  await store.signal(id, { kind: "answer", key: "go", answer: { action: "decline" } });
  told.answered = true;
  const signals = (await store.getTask(id))?.signals ?? [];
  const answered = [{ type: "answered", key: "go", answer: { action: "decline" } }] as const;
  told.lastSeq = (
    await commit(
      store,
      held,
      3,
      answered,
      signals.map((signal) => signal.id),
    )
  ).lastSeq;
  told.lastSeq = (await commit(store, held, 4, [{ type: "completed", output: 1 }])).lastSeq;
  told.finished = true;
  await store.releaseLease(held);
}

/** Fails one operation, the nth that changes something, and says whether it came to that. */
function failNth(nth: number, failure: Failure): { readonly verdict: Verdict; hit: () => string | undefined } {
  let count = 0;
  let hit: string | undefined;
  const verdict: Verdict = (operation, path) => {
    count += 1;
    if (count !== nth) return undefined;
    hit = `${operation} ${path}`;
    return failure;
  };
  return { verdict, hit: () => hit };
}

async function expectTold(store: Store, told: Told, where: string): Promise<void> {
  const id = newTask("task").id;
  const snapshot = await store.getTask(id);
  if (told.created) expect(snapshot, where).toBeDefined();
  expect(snapshot?.record.lastSeq ?? 0, where).toBeGreaterThanOrEqual(told.lastSeq);
  if (told.finished) expect(snapshot?.record.status, where).toBe("completed");
  const isKept = snapshot?.signals.some((signal) => signal.kind === "answer");
  if (told.answered) expect(isKept || snapshot?.record.remembered.go?.kind === "answer", where).toBe(true);
}

/** Whatever failed, the task can be finished afterwards, and is listed once. */
async function expectFinishable(store: Store, where: string): Promise<void> {
  const { snapshot } = await store.createTask({ task: newTask("task", { key: "call" }), reuseResultMs: 60_000, now });
  const { id, lastSeq, status } = snapshot.record;
  if (status !== "completed") {
    const held = await lease(store, id, "worker-b");
    await commit(store, held, lastSeq, [{ type: "completed", output: 1 }]);
    await store.releaseLease(held);
  }
  const { events } = await store.readEvents(id, { afterSeq: 0, limit: 100 });
  expect(
    events.map(({ seq }) => seq),
    where,
  ).toEqual(events.map((_, index) => index + 1));
  expect(
    (await store.listTasks({ limit: 10 })).tasks.map((task) => [task.id, task.status]),
    where,
  ).toEqual([[id, "completed"]]);
  expect(await store.countTasks({}), where).toMatchObject({ total: 1 });
}

describe.each(["process", "machine"] as const)("durability %s", (durability) => {
  test.each(["ENOSPC", "EIO", "short"] as const)(
    "keeps what was told when any one operation fails with %s, and goes on afterwards",
    async (failure) => {
      for (let nth = 1; ; nth += 1) {
        const directory = emptyFolder();
        const { verdict, hit } = failNth(nth, failure);
        const told: Told = { created: false, lastSeq: 0, answered: false, finished: false };
        const failing = openStore(directory, { durability, disk: failingDisk(verdict) });
        const error: unknown = await live(failing, told).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        await failing.close();
        const where = `${nth}: ${hit()}`;
        if (error !== undefined) expect(isResumableError(error, "STORE_WRITE_FAILED"), `${where}: ${error}`).toBe(true);
        const store = openStore(directory, { durability });
        await expectTold(store, told, where);
        await expectFinishable(store, where);
        await store.close();
        if (hit() === undefined) break;
      }
    },
    60_000,
  );
});

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

test("a folder that cannot be written says so at the first call", async () => {
  const disk = failingDisk((operation) => (operation === "mkdir" ? "EIO" : undefined));
  const store = openStore(emptyFolder(), { disk });
  await expect(store.countTasks({})).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
});
