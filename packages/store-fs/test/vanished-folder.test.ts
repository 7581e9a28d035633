import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ResumableError, type Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/index.js";
import { checkpoint, commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

const completed = { type: "completed", output: null } as const;

/** A running store with an unfinished and a finished task. */
async function running() {
  const directory = join(emptyFolder(), "store");
  const store = openStore(directory);
  const open = await create(store, "open-task", { key: "the call" });
  const done = await create(store, "done-task");
  const held = await lease(store, done);
  await commit(store, held, 1, [completed]);
  await store.releaseLease(held);
  return { directory, store, open, done };
}

async function statuses(store: Store): Promise<Record<string, string>> {
  const { tasks } = await store.listTasks({ limit: 10 });
  return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
}

describe.each([["open"], ["done"], ["open", "done"], ["open", "done", "workers", "trash", "keys"]])(
  "a store that loses %s",
  (...names) => {
    test("under a running server makes it again from tasks/, and continues (G12.6)", async () => {
      const { directory, store, open, done } = await running();
      for (const name of names) rmSync(join(directory, name), { recursive: true });
      expect(await statuses(store)).toEqual({ [open]: "pending", [done]: "completed" });
      expect((await store.countTasks({})).total).toBe(2);
      const third = await create(store, "third-task");
      await store.heartbeat({ worker: "worker-a", now });
      await commit(store, await lease(store, open), 1, [checkpoint(1)]);
      expect(Object.keys(await statuses(store)).sort()).toEqual([done, open, third].sort());
    });

    test("before it is opened lists its tasks all the same, and says what was found (G12)", async () => {
      const { directory, store, open, done } = await running();
      await store.close();
      for (const name of names) rmSync(join(directory, name), { recursive: true });
      const warnings: string[] = [];
      const again = openStore(directory, { onWarning: (message) => warnings.push(message) });
      expect(await statuses(again)).toEqual({ [open]: "pending", [done]: "completed" });
      expect(warnings).toEqual([expect.stringMatching(/^open\/|^done\//)]);
    });
  },
);

test.each(["open", "done"])("a task that was never claimed does not run when %s/ is made again (G7)", async (name) => {
  const { directory, store, open, done } = await running();
  const lost = await create(store, "lost-task", { key: "another call" });
  // As a loss of power leaves it that met its maker before the claim was durable.
  rmSync(join(directory, "open", lost));
  const claims = readdirSync(join(directory, "keys"), { recursive: true, encoding: "utf8" });
  const claim = claims.find((path) => isClaimOf(join(directory, "keys", path), lost)) ?? "";
  rmSync(join(directory, "keys", claim));
  rmSync(join(directory, name), { recursive: true });
  expect(await statuses(store)).toEqual({ [open]: "pending", [done]: "completed" });
  const task = newTask("made-again", { key: "another call" });
  const { snapshot } = await store.createTask({ task, reuseResultMs: 0, now });
  expect(await statuses(store)).toEqual({ [open]: "pending", [done]: "completed", [snapshot.record.id]: "pending" });
});

test("of tasks of one call whose claims were damaged one runs, when done/ is made again (G7)", async () => {
  const { directory, store, open, done } = await running();
  const keys = join(directory, "keys");
  const lost = [];
  // As losses of power leave them that met each maker before the content of its claim was durable.
  for (const id of ["first-lost", "second-lost"]) {
    const made = await create(store, id, { key: "another call" });
    rmSync(join(directory, "open", made));
    const names = readdirSync(keys, { recursive: true, encoding: "utf8" }).map((path) => join(keys, path));
    for (const path of names) if (isClaimOf(path, made)) writeFileSync(path, "");
    lost.push(made);
  }
  rmSync(join(directory, "done"), { recursive: true });
  const [kept = ""] = lost;
  expect(await statuses(store)).toEqual({ [open]: "pending", [done]: "completed", [kept]: "pending" });
  const task = newTask("made-again", { key: "another call" });
  expect((await store.createTask({ task, reuseResultMs: 0, now })).snapshot.record.id).toBe(kept);
});

function isClaimOf(path: string, taskId: string): boolean {
  return statSync(path).isFile() && readFileSync(path, "utf8").includes(taskId);
}

test("a call whose claim was lost with keys/ still gets its unfinished task (G7)", async () => {
  const { directory, store, open } = await running();
  rmSync(join(directory, "keys"), { recursive: true });
  const task = newTask("another", { key: "the call" });
  const { snapshot } = await store.createTask({ task, reuseResultMs: 0, now });
  expect(snapshot.record.id).toBe(open);
});

/** Ways in which a running server loses its store: each takes it away, and gives back how it returns. */
const losses: readonly [string, (directory: string) => () => void][] = [
  [
    "whose folder was removed",
    (directory) => {
      renameSync(directory, `${directory}.away`);
      return () => renameSync(`${directory}.away`, directory);
    },
  ],
  [
    "whose place an empty folder has taken, as when a disk is unmounted",
    (directory) => {
      renameSync(directory, `${directory}.away`);
      mkdirSync(directory);
      return () => {
        rmSync(directory, { recursive: true });
        renameSync(`${directory}.away`, directory);
      };
    },
  ],
  [
    "whose tasks/ was removed",
    (directory) => {
      renameSync(join(directory, "tasks"), `${directory}.tasks`);
      return () => renameSync(`${directory}.tasks`, join(directory, "tasks"));
    },
  ],
  [
    "whose tasks/ is another one",
    (directory) => {
      renameSync(join(directory, "tasks"), `${directory}.tasks`);
      mkdirSync(join(directory, "tasks"));
      return () => {
        rmSync(join(directory, "tasks"), { recursive: true });
        renameSync(`${directory}.tasks`, join(directory, "tasks"));
      };
    },
  ],
];

describe.each(losses)("a store %s", (_, lose) => {
  test("refuses every call and writes nothing, until it is back the same (G12.6)", async () => {
    const { directory, store, open, done } = await running();
    const held = await lease(store, open);
    await store.checkHealth?.();
    const giveBack = lose(directory);
    const names = existsSync(directory) ? readdirSync(directory, { recursive: true }) : undefined;
    const session = { kind: "session", id: "session", owner: "client:test", value: 1, expectedVersion: 0, now };
    const calls: readonly Promise<unknown>[] = [
      create(store, "new-task"),
      store.getTask(open),
      store.listTasks({ limit: 1 }),
      commit(store, held, 1, [checkpoint(1)]),
      store.signal(open, { kind: "pause" }),
      store.putDocument(session),
      store.heartbeat({ worker: "worker-a", now }),
      Promise.resolve(store.checkHealth?.()),
    ];
    const outcomes = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(outcomes.map((error) => error instanceof ResumableError && error.code)).toEqual(
      calls.map(() => "STORE_MISSING"),
    );
    expect(existsSync(directory) ? readdirSync(directory, { recursive: true }) : undefined).toEqual(names);
    giveBack();
    await store.checkHealth?.();
    await store.releaseLease(held);
    const again = await lease(store, open);
    const { record } = (await store.getTask(open)) ?? {};
    await commit(store, again, record?.lastSeq ?? 0, [checkpoint(2)]);
    await store.putDocument(session);
    expect(await statuses(store)).toEqual({ [open]: "pending", [done]: "completed" });
  });
});

test.each<readonly [string, (store: Store, id: string) => Promise<unknown>]>([
  ["a task", (store, id) => store.getTask(id)],
  ["a list", (store) => store.listTasks({ limit: 10 })],
  ["a document", (store) => store.getDocument("session", "some-session-id-")],
])("%s that is read while the folder is taken away is not said to be missing (G12)", async (_, read) => {
  const { directory, store, open } = await running();
  await store.close();
  let isTakenNext = false;
  const identify: typeof nodeDisk.identify = (path) => {
    const identity = nodeDisk.identify(path);
    if (isTakenNext && path === join(directory, "tasks")) {
      isTakenNext = false;
      renameSync(directory, `${directory}-away`);
    }
    return identity;
  };
  const again = openStore(directory, { disk: { ...nodeDisk, identify } });
  expect((await again.getTask(open))?.record.status).toBe("pending");
  isTakenNext = true;
  await expect(read(again, open)).rejects.toMatchObject({ code: "STORE_MISSING" });
  renameSync(`${directory}-away`, directory);
  expect((await again.getTask(open))?.record.status).toBe("pending");
});

describe.each(losses)("a lease that is given back to a store %s", (_, lose) => {
  test("can be taken again by this process at once, and by others after a heartbeat (G12)", async () => {
    const { directory, store, open, done } = await running();
    const [held, other] = [await lease(store, open), await lease(store, done)];
    const giveBack = lose(directory);
    await expect(store.releaseLease(held)).rejects.toMatchObject({ code: "STORE_MISSING" });
    await expect(store.releaseLease(other)).rejects.toMatchObject({ code: "STORE_MISSING" });
    giveBack();
    const again = await lease(store, open);
    await commit(store, again, 1, [checkpoint(1)]);
    await store.heartbeat({ worker: "worker-a", now });
    await lease(openStore(directory), done, "worker-b");
    await expect(commit(store, held, 2, [checkpoint(2)])).rejects.toMatchObject({ code: "LEASE_LOST" });
  });
});

test("two stores that begin at once do not take each other's drafts for left behind", async () => {
  const { directory, store, open, done } = await running();
  await store.close();
  rmSync(join(directory, "open"), { recursive: true });
  const other = openStore(directory);
  let hasOpened = false;
  // The other one opens, and empties the trash, in the middle of the first one's opening.
  const rename = (from: string, to: string): void => {
    if (!hasOpened && to === join(directory, "open")) {
      hasOpened = true;
      mkdirSync(to);
      void other.getTask(open);
      rmSync(to, { recursive: true });
    }
    nodeDisk.rename(from, to);
  };
  const first = openStore(directory, { disk: { ...nodeDisk, rename } });
  expect([await statuses(first), hasOpened]).toEqual([{ [open]: "pending", [done]: "completed" }, true]);
  await other.close();
});
