import { join } from "node:path";
import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkpoint, commit, create, emptyFolder, lease, newTask, now, openStore } from "../../store-fs/test/scene.js";
import { openAdmin } from "../src/store/open-admin.js";
import { json, run, runWith } from "./command-line.js";
import { databaseUrl, newDatabase, openDatabase, usePostgres } from "./database.js";
import { forge, forgeries } from "./forged-exports.js";
import { answer, contentOf, exported, filled, importUntil, options, storeOf } from "./transfer-scene.js";

usePostgres();

const question = { message: "?", schema: {} };
const failure = { code: "TOOL_FAILED", message: "no", terminal: true } as const;

/** Adds a task of every other kind, and documents, to a store. */
async function fill(store: Store) {
  const failed = await create(store, "failed", { key: "failed" });
  await commit(store, await lease(store, failed), 1, [{ type: "failed", error: failure }]);
  const cancelled = await create(store, "cancelled");
  await commit(store, await lease(store, cancelled), 1, [checkpoint(1, ["c"]), { type: "cancelled" }]);
  const waiting = await create(store, "waiting", { owner: "client:\ud800\u0000" });
  await commit(store, await lease(store, waiting), 1, [
    { type: "sleep", key: "nap", until: new Date(now.wallMs + 9_000).toISOString() },
    { type: "asked", key: "open", question },
  ]);
  await store.signal(waiting, { kind: "pause" });
  const again = await create(store, "again", { key: "again" });
  const held = await lease(store, again);
  await commit(store, held, 1, [checkpoint(1, ["old", "older"])]);
  await commit(store, held, 2, [{ type: "restarted", generation: 2, fromState: false }, checkpoint(1, ["new"])]);
  const pending = await create(store, "pending", { key: "pending", detached: false });
  const documents = [
    { kind: "session", id: "session-1", owner: "client:a", value: { calls: ["\u0000"] } },
    { kind: "key", id: "signing", owner: "server", value: "secret" },
  ];
  for (const document of documents) await store.putDocument({ ...document, expectedVersion: 0, now });
  return { failed, cancelled, waiting, again, pending };
}

/** A folder with tasks of every kind, and their ids. */
async function filledFolder() {
  const { directory, ids } = await filled();
  const store = openStore(directory, options);
  const more = await fill(store);
  await store.close();
  return { directory, ids: { ...ids, ...more } };
}

const imported = (file: Buffer, names: readonly string[]) => runWith([file], "import", "-", ...names, "--json");

const byId = (left: { readonly id: string }, right: { readonly id: string }) => (left.id < right.id ? -1 : 1);

/** What two stores must agree on. */
async function whole(store: Store, ids: Readonly<Record<string, string>>) {
  const contents = [];
  for (const id of Object.values(ids)) contents.push(await contentOf(store, id));
  const list = await store.listTasks({ limit: 100 });
  const due = await store.listRunnable({ tools: ["count_words"], now, limit: 100 });
  return {
    contents,
    // All of these were made at one moment: the order among them is each store's own.
    list: [...list.tasks].sort(byId),
    counts: await store.countTasks({}),
    due: { ...due, tasks: due.tasks.map(({ id }) => id).sort() },
    expired: await store.listExpired({ now: { ...now, wallMs: now.wallMs + 5_000 }, limit: 100 }),
    documents: [await documentOf(store, "session", "session-1"), await documentOf(store, "key", "signing")],
  };
}

/** A document without its version, which each store gives as it does. */
async function documentOf(store: Store, kind: string, id: string) {
  const document = await store.getDocument(kind, id);
  return document && { ...document, version: undefined };
}

describe("a folder's tasks in a database", () => {
  test("are what they were, with sessions and keys, and again in a folder", async () => {
    const { directory, ids } = await filledFolder();
    const names = newDatabase();
    const file = await exported(directory);
    const report = await imported(file, names);
    expect([report.code, JSON.parse(report.out)]).toMatchObject([
      0,
      { present: [], refused: [], documents: { imported: 2, present: 0 } },
    ]);
    const database = openDatabase(names);
    const before = await whole(openStore(directory, options), ids);
    expect(before.contents.map(({ snapshot }) => snapshot?.id)).toContain(ids.long);
    expect(await whole(database, ids)).toEqual(before);
    expect(await json("check", ...names)).toMatchObject({ code: 0, value: { tasks: 9, problems: [] } });

    const back = await runWith([], "export", ...names);
    expect(back).toMatchObject({ code: 0, errors: expect.stringMatching(/^9 tasks exported, and 2 documents\./) });
    const other = join(emptyFolder(), "other");
    expect((await imported(back.data, storeOf(other))).code).toBe(0);
    expect(await whole(openStore(other, options), ids)).toEqual(before);
    expect(await json("check", ...storeOf(other))).toMatchObject({ code: 0, value: { tasks: 9, problems: [] } });
  });

  test("carry their calls, steps and answers", async () => {
    const { directory, ids } = await filledFolder();
    const names = newDatabase();
    expect((await imported(await exported(directory), names)).code).toBe(0);
    const store = openDatabase(names);
    const call = async (key: string, reuseResultMs: number) => {
      const { created, snapshot } = await store.createTask({ task: newTask(`of-${key}`, { key }), reuseResultMs, now });
      return created ? "new" : snapshot.record.id;
    };
    expect(await call("asking", 0)).toBe(ids.asking);
    expect(await call("pending", 0)).toBe(ids.pending);
    // Its result was delivered, so that the same call begins a new task.
    expect(await call("done", 60_000)).toBe("new");
    for (const key of ["name", "old"]) {
      const second = store.signal(ids.asking, { kind: "answer", key, answer });
      await expect(second).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
    }
    await commit(store, await lease(store, ids.long), 61, [checkpoint(61, ["next"])]);
    expect((await store.readItems(ids.long, { after: 59, limit: 5 })).items).toEqual([60, "next"]);
    expect(await json("check", ...names)).toMatchObject({ code: 0, value: { problems: [] } });
  });

  test("can be imported again after an interruption anywhere", async () => {
    const { directory, ids } = await filledFolder();
    const file = await exported(directory);
    for (let part = 1; part < 5; part += 1) {
      const names = newDatabase();
      const cut = file.subarray(0, (file.byteLength * part) / 5);
      const refused = await imported(cut, names);
      expect([refused.code, JSON.parse(refused.out)]).toMatchObject([1, { error: { code: "EXPORT_INVALID" } }]);
      const present = await importUntil(await openAdmin({ store: databaseUrl(), "store-schema": names.at(-1) }), cut);
      expect(await json("check", ...names)).toMatchObject({ code: 0, value: { problems: [] } });
      const rest = await imported(file, names);
      expect([rest.code, JSON.parse(rest.out)]).toMatchObject([0, { present, refused: [] }]);
      expect((await openDatabase(names).countTasks({})).total).toBe(Object.keys(ids).length);
    }
  });

  test.each(forgeries)("are refused with %s, and nothing is written", async (_, place, change, reason) => {
    const { directory } = await filled();
    const { data } = forge(await exported(directory), place, change);
    const names = newDatabase();
    const { code, out } = await imported(data, names);
    expect([code, JSON.parse(out)]).toMatchObject([1, { imported: [], error: { code: "EXPORT_INVALID" } }]);
    expect(JSON.parse(out).error.message).toMatch(reason);
    const store = openDatabase(names);
    expect([(await store.countTasks({})).total, await store.getDocument("key", "signing")]).toEqual([0, undefined]);
  });

  test("are refused where another task has the id or the call, and documents that are there stay", async () => {
    const { directory, ids } = await filledFolder();
    const names = newDatabase();
    const store = openDatabase(names);
    const later = { ...now, wallMs: now.wallMs + 1 };
    await store.createTask({ task: newTask("done", { input: "another" }), reuseResultMs: 0, now: later });
    const rival = await create(store, "rival", { key: "asking" });
    await store.putDocument({ kind: "key", id: "signing", owner: "server", value: "own", expectedVersion: 0, now });
    const report = await imported(await exported(directory), names);
    const { refused, documents } = JSON.parse(report.out) as {
      refused: { taskId: string; code: string }[];
      documents: unknown;
    };
    expect(report.code).toBe(1);
    expect(refused.map(({ taskId, code }) => [taskId, code]).sort()).toEqual([
      [ids.asking, "KEY_TAKEN"],
      [ids.done, "TASK_EXISTS"],
    ]);
    expect(documents).toEqual({ imported: 1, present: 1 });
    expect(await store.getDocument("key", "signing")).toMatchObject({ value: "own" });
    expect((await store.getTask(rival))?.record.status).toBe("pending");
    expect(await store.getTask(ids.asking)).toBeUndefined();
    expect(await json("check", ...names)).toMatchObject({ code: 0, value: { problems: [] } });
  });

  test("continue without repeating a step (G2)", async () => {
    const ran: string[] = [];
    const stopAt = { first: 4, second: -1 };
    const tool = (where: keyof typeof stopAt, reached: () => void) =>
      defineTool({
        name: "count_to",
        description: "Counts to ten, and pays once.",
        input: z.object({}),
        state: { at: 0 },
        async *run(_input, task) {
          await task.step("pay", () => ran.push(`paid ${where}`));
          for (let { at } = task.state; at < 10; at += 1) {
            if (at === stopAt[where]) {
              reached();
              await new Promise<never>((_, reject) => {
                task.signal.addEventListener("abort", () => reject(task.signal.reason));
              });
            }
            yield { progress: at + 1, total: 10, state: { at: at + 1 }, append: [at] };
          }
          return "all";
        },
      });
    const directory = emptyFolder();
    let stopped = () => {};
    const reached = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const first = createEngine({ store: openStore(directory, options), tools: [tool("first", stopped)] });
    const started = await first.forOwner("local:me").start({ tool: "count_to", input: {} });
    await reached;
    await first.close();
    const names = newDatabase();
    expect((await imported(await exported(directory), names)).code).toBe(0);
    const second = createEngine({ store: openDatabase(names), tools: [tool("second", () => {})] });
    const tasks = second.forOwner("local:me");
    expect((await tasks.start({ tool: "count_to", input: {} })).record.id).toBe(started.record.id);
    const { record } = await tasks.wait(started.record.id);
    expect(record).toMatchObject({ status: "completed", output: "all", progress: 10 });
    const { items } = await tasks.items(started.record.id, { after: 0, limit: 20 });
    expect([items, ran]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ["paid first"]]);
    await second.close();
  });
});

test("a database's task whose events were compacted moves to a folder with all its items", async () => {
  const names = newDatabase();
  const store = openDatabase(names, { limits: { snapshotBytes: 1_000, maxEventBytes: 5_000 } });
  const id = await create(store, "long");
  const held = await lease(store, id);
  const text = "x".repeat(300);
  for (let seq = 1; seq <= 60; seq += 1) {
    await commit(store, held, seq, [{ type: "checkpoint", progress: seq, state: { text }, items: [seq] }]);
  }
  await expect.poll(async () => (await contentOf(store, id)).snapshot).toBeDefined();
  await store.close();
  const file = await runWith([], "export", ...names);
  const other = emptyFolder();
  expect((await imported(file.data, storeOf(other))).code).toBe(0);
  const content = await contentOf(openStore(other, options), id);
  expect(content).toEqual(await contentOf(openDatabase(names), id));
  expect(content.items).toHaveLength(60);
  const third = newDatabase();
  expect((await imported(file.data, third)).code).toBe(0);
  expect(await contentOf(openDatabase(third), id)).toEqual(content);
  expect((await run("check", ...third)).code).toBe(0);
});
