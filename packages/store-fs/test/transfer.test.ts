import { EventEmitter, once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { encodeLine } from "../src/disk/checked-line.js";
import { everything, json, run, runWith } from "./command-line.js";
import { checkpoint, commit, create, emptyFolder, journalOf, lease, newTask, now, openStore } from "./scene.js";

const options = {
  durability: "process",
  limits: { rotateBytes: 2_000, maxJournalFiles: 3, keepJournalFiles: 1 },
} as const;
const answer = { action: "accept", content: { name: "Ada" } } as const;

/** A store with a task of every kind, the longest of which was compacted. */
async function filled() {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const done = await create(store, "done", { key: "done" });
  await commit(store, await lease(store, done), 1, [checkpoint(1, ["a", "b"]), { type: "completed", output: 7 }]);
  await store.signal(done, { kind: "delivered" });
  const asking = await create(store, "asking", { key: "asking" });
  const held = await lease(store, asking);
  const question = { message: "?", schema: {} };
  await commit(store, held, 1, [
    { type: "step", key: "paid", value: 3 },
    { type: "asked", key: "name", question },
  ]);
  await commit(store, held, 3, [
    { type: "asked", key: "old", question },
    { type: "answered", key: "old", answer },
  ]);
  await store.signal(asking, { kind: "answer", key: "name", answer });
  await store.signal(asking, { kind: "detach" });
  const paused = await create(store, "paused");
  await commit(store, await lease(store, paused), 1, [
    checkpoint(2, ["p"]),
    { type: "desiredState", desiredState: "pause" },
  ]);
  const long = await create(store, "long", { key: "long" });
  const writer = await lease(store, long);
  for (let seq = 1; seq <= 60; seq += 1) {
    await commit(store, writer, seq, [
      { type: "checkpoint", progress: seq, state: { text: "x".repeat(200) }, items: [seq] },
    ]);
    await store.getTask(long);
  }
  await store.close();
  return { directory, ids: { done, asking, paused, long } };
}

const storeOf = (directory: string) => ["--store", directory];

async function exported(directory: string): Promise<Buffer> {
  const { code, data } = await runWith([], "export", ...storeOf(directory));
  expect(code).toBe(0);
  return data;
}

/** All that a store says of a task, without what differs between two stores: the ids of its signals. */
async function contentOf(store: Store, id: string) {
  const { record, signals } = (await store.getTask(id)) ?? { record: undefined, signals: [] };
  const { events, snapshot } = await store.readEvents(id, { afterSeq: 0, limit: 1000 });
  const { items } = await store.readItems(id, { after: 0, limit: 1000 });
  return { record, events, snapshot, items, signals: signals.map(({ id: _, ...signal }) => signal) };
}

/** Breaks the newest journal of a task. */
function breakJournal(directory: string, taskId: string): void {
  const path = journalOf(directory, taskId);
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe("an export of a store with damaged tasks (G12)", () => {
  test("names a finished and an unfinished one, carries all others, and exits with 1", async () => {
    const { directory, ids } = await filled();
    breakJournal(directory, ids.done);
    breakJournal(directory, ids.paused);
    const before = everything(directory);
    const { code, data, errors } = await runWith([], "export", ...storeOf(directory));
    expect(code).toBe(1);
    expect(everything(directory)).toBe(before);
    const damaged = (id: string) =>
      `damaged  ${id}  TASK_CORRUPT: The files of task ${id} are damaged. They are kept unchanged in the store, in quarantine/${id}, with a report that says where. Other tasks are not affected.`;
    const named = errors.split("\n");
    expect(named.pop()).toMatch(/^2 tasks exported, 2 not\./);
    expect(named.sort()).toEqual([damaged(ids.done), damaged(ids.paused)].sort());
    const other = emptyFolder();
    const report = await runWith([data], "import", "-", ...storeOf(other), "--json");
    expect([report.code, JSON.parse(report.out)]).toMatchObject([0, { present: [], refused: [] }]);
    expect((JSON.parse(report.out) as { imported: string[] }).imported.sort()).toEqual([ids.asking, ids.long].sort());
  });

  test("names those that were set aside before, the finished and the unfinished one", async () => {
    const { directory, ids } = await filled();
    breakJournal(directory, ids.done);
    breakJournal(directory, ids.paused);
    const running = openStore(directory, options);
    for (const id of [ids.done, ids.paused])
      await expect(running.getTask(id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
    await running.close();
    const file = join(emptyFolder(), "tasks.jsonl");
    const report = await json("export", ...storeOf(directory), "--to", file);
    expect(report).toMatchObject({ code: 1, value: { tasks: 2 } });
    const { refused } = report.value as { refused: { taskId: string; code: string }[] };
    expect(refused.map(({ taskId, code }) => [taskId, code]).sort()).toEqual(
      [
        [ids.done, "TASK_CORRUPT"],
        [ids.paused, "TASK_CORRUPT"],
      ].sort(),
    );
    const imported = await json("import", file, ...storeOf(emptyFolder()));
    expect(imported).toMatchObject({ code: 0, value: { refused: [] } });
  });

  test("carries the named ones that are whole, and names those that are not there", async () => {
    const { directory, ids } = await filled();
    breakJournal(directory, ids.done);
    const missing = "no-such-task-here";
    const { code, data, errors } = await runWith([], "export", ids.done, missing, ids.asking, ...storeOf(directory));
    expect(code).toBe(1);
    expect(errors).toContain(`damaged  ${ids.done}  TASK_CORRUPT: `);
    expect(errors).toContain(`refused  ${missing}  TASK_NOT_FOUND: `);
    const report = await runWith([data], "import", "-", ...storeOf(emptyFolder()), "--json");
    expect([report.code, JSON.parse(report.out)]).toMatchObject([0, { imported: [ids.asking], refused: [] }]);
  });
});

describe("export and import", () => {
  test("carry tasks of every kind to another store, where they are what they were", async () => {
    const { directory, ids } = await filled();
    const other = join(emptyFolder(), "other");
    const file = join(emptyFolder(), "tasks.jsonl");
    const before = everything(directory);
    expect(await json("export", ...storeOf(directory), "--to", file)).toMatchObject({ code: 0, value: { tasks: 4 } });
    expect(everything(directory)).toBe(before);
    const report = await json("import", file, ...storeOf(other));
    expect(report).toMatchObject({ code: 0, value: { present: [], refused: [] } });
    expect((report.value as { imported: string[] }).imported.sort()).toEqual(Object.values(ids).sort());

    const from = openStore(directory, options);
    const to = openStore(other, options);
    for (const id of Object.values(ids)) expect(await contentOf(to, id)).toEqual(await contentOf(from, id));
    expect((await contentOf(to, ids.long)).snapshot).toBeDefined();
    expect((await contentOf(to, ids.long)).items).toHaveLength(60);
    const list = { limit: 10 };
    expect(await to.listTasks(list)).toEqual(await from.listTasks(list));
    expect(await to.listExpired({ now: { ...now, wallMs: now.wallMs + 5_000 }, limit: 9 })).toEqual([ids.done]);
    expect(await json("check", ...storeOf(other))).toMatchObject({ code: 0, value: { tasks: 4, problems: [] } });
  });

  test("carry all that a task has: its call, its steps, and answers that were given", async () => {
    const { directory, ids } = await filled();
    const other = emptyFolder();
    await runWith([await exported(directory)], "import", "-", ...storeOf(other));
    const to = openStore(other, options);
    const again = await to.createTask({ task: newTask("again", { key: "asking" }), reuseResultMs: 0, now });
    expect([again.created, again.snapshot.record.id]).toEqual([false, ids.asking]);
    expect(again.snapshot.record).toMatchObject({ remembered: { paid: { kind: "step", value: 3 } } });
    for (const key of ["name", "old"]) {
      const second = to.signal(ids.asking, { kind: "answer", key, answer });
      await expect(second).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
    }
    const held = await lease(to, ids.long);
    await commit(to, held, 61, [checkpoint(61, ["next"])]);
    expect((await to.readItems(ids.long, { after: 59, limit: 5 })).items).toEqual([60, "next"]);
  });

  test("can be repeated after an interruption anywhere", async () => {
    const { directory, ids } = await filled();
    const file = await exported(directory);
    for (let part = 1; part < 8; part += 1) {
      const other = emptyFolder();
      const cut = await runWith(
        [file.subarray(0, (file.byteLength * part) / 8)],
        "import",
        "-",
        ...storeOf(other),
        "--json",
      );
      expect([cut.code, JSON.parse(cut.out)]).toMatchObject([1, { error: { code: "EXPORT_INVALID" } }]);
      expect(await json("check", ...storeOf(other))).toMatchObject({ code: 0, value: { problems: [] } });
      const { imported } = JSON.parse(cut.out) as { imported: string[] };
      const whole = await runWith([file], "import", "-", ...storeOf(other), "--json");
      expect([whole.code, JSON.parse(whole.out)]).toMatchObject([0, { present: imported, refused: [] }]);
      expect((await openStore(other, options).listTasks({ limit: 9 })).tasks).toHaveLength(Object.keys(ids).length);
    }
  });

  test("finish what a process that died between bringing a task and listing it left undone", async () => {
    const { directory, ids } = await filled();
    const file = await exported(directory);
    const other = emptyFolder();
    await runWith([file], "import", "-", ...storeOf(other));
    for (const folder of ["open", "keys", "done"]) rmSync(join(other, folder), { recursive: true });
    expect((await runWith([file], "import", "-", ...storeOf(other))).code).toBe(0);
    const to = openStore(other, options);
    expect((await to.listTasks({ limit: 9 })).tasks).toHaveLength(4);
    const again = await to.createTask({ task: newTask("again", { key: "long" }), reuseResultMs: 0, now });
    expect(again.snapshot.record.id).toBe(ids.long);
  });

  test("refuse a task whose id or whose call another one has there, and bring the others", async () => {
    const { directory, ids } = await filled();
    const other = emptyFolder();
    const there = openStore(other, options);
    const { snapshot } = await there.createTask({
      task: newTask("done", { input: "another" }),
      reuseResultMs: 0,
      now: { ...now, wallMs: now.wallMs + 1 },
    });
    const rival = await create(there, "rival", { key: "asking" });
    const before = [await contentOf(there, ids.done), await contentOf(there, rival)];
    const report = await runWith([await exported(directory)], "import", "-", ...storeOf(other), "--json");
    expect(report.code).toBe(1);
    const { refused, imported } = JSON.parse(report.out) as {
      refused: { taskId: string; code: string }[];
      imported: string[];
    };
    expect(refused.map(({ taskId, code }) => [taskId, code]).sort()).toEqual([
      [ids.asking, "KEY_TAKEN"],
      [ids.done, "TASK_EXISTS"],
    ]);
    expect(imported.sort()).toEqual([ids.long, ids.paused].sort());
    expect([await contentOf(there, snapshot.record.id), await contentOf(there, rival)]).toEqual(before);
    expect(await there.getTask(ids.asking)).toBeUndefined();
    expect(readdirSync(join(other, "trash"))).toEqual([]);
  });

  test.each([
    ["a changed byte", (file: Buffer) => file.with(200, file[200] === 97 ? 98 : 97)],
    [
      "a later version",
      () => encodeLine(JSON.stringify({ type: "export", format: "resumable-mcp-tasks", version: 2 })),
    ],
    ["no export at all", () => Buffer.from("hello\n")],
    ["nothing in it", () => Buffer.alloc(0)],
  ])("refuse a file with %s, and leave the store as it is", async (_, change) => {
    const { directory } = await filled();
    const file = join(emptyFolder(), "tasks.jsonl");
    writeFileSync(file, change(await exported(directory)));
    const other = emptyFolder();
    expect(await json("import", file, ...storeOf(other))).toMatchObject({
      code: 1,
      value: { error: { code: "EXPORT_INVALID" } },
    });
    expect((await openStore(other).countTasks({})).total).toBe(0);
  });

  test.each([
    ["a signal", { signals: [{ id: "x", kind: "/../../../../stray" }] }, {}],
    ["an answer", { signals: [{ id: "x", kind: "answer" }] }, {}],
    ["a date", {}, { at: "../../../stray" }],
  ])("refuse %s that was made up, and write nothing outside the store", async (_, task, created) => {
    const { directory, ids } = await filled();
    const lines = String((await runWith([], "export", ids.paused, ...storeOf(directory))).data)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; events?: object[] });
    const forged = lines.map(({ type, events = [], ...line }) => {
      if (type === "task") return { ...line, type, ...task };
      return events.length === 0
        ? { ...line, type }
        : { type, events: [{ ...events[0], ...created }, ...events.slice(1)] };
    });
    const data = Buffer.concat(forged.map((line) => encodeLine(JSON.stringify({ ...line, crc: undefined }))));
    const above = emptyFolder();
    const other = join(above, "a", "b");
    const { code, out } = await runWith([data], "import", "-", ...storeOf(other), "--json");
    expect([code, JSON.parse(out)]).toMatchObject([1, { imported: [], error: { code: "EXPORT_INVALID" } }]);
    expect(everything(above)).not.toContain("stray");
    expect((await openStore(other).countTasks({})).total).toBe(0);
  });

  test("leave a file that only its user can read", async () => {
    const { directory } = await filled();
    const file = join(emptyFolder(), "tasks.jsonl");
    expect((await run("export", ...storeOf(directory), "--to", file)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("take only the tasks that are named, or that the options mean", async () => {
    const { directory, ids } = await filled();
    const named = await runWith([], "export", ids.paused, ...storeOf(directory));
    const meant = await runWith([], "export", "--status", "paused", ...storeOf(directory));
    expect(meant.data).toEqual(named.data);
    expect(named.errors).toContain("1 tasks exported");
    expect((await run("export", "no-such-task-here", ...storeOf(directory))).code).toBe(1);
    expect((await run("import", ...storeOf(directory))).code).toBe(2);
  });
});

test("an unfinished task resumes on a server with the other store, and finishes there without repeating a step (G2)", async () => {
  const directory = emptyFolder();
  const ran: string[] = [];
  const news = new EventEmitter();
  const reached = once(news, "reached");
  const tool = (where: string, last: number) =>
    defineTool({
      name: "count_to",
      description: "Counts to ten, and pays once.",
      input: z.object({}),
      state: { at: 0 },
      async *run(_input, task) {
        await task.step("pay", () => ran.push(`paid ${where}`));
        for (let { at } = task.state; at < 10; at += 1) {
          if (at === last) {
            news.emit("reached");
            await new Promise<never>((_, reject) => {
              task.signal.addEventListener("abort", () => reject(task.signal.reason));
            });
          }
          ran.push(`${where} ${at}`);
          yield { progress: at + 1, total: 10, state: { at: at + 1 }, append: [at] };
        }
        return "all";
      },
    });
  const source = openStore(directory, options);
  const first = createEngine({ store: source, tools: [tool("here", 4)] });
  const started = await first.forOwner("local:me").start({ tool: "count_to", input: {} });
  await reached;
  const file = await exported(directory);
  await first.close();

  const other = emptyFolder();
  expect((await runWith([file], "import", "-", ...storeOf(other))).code).toBe(0);
  const second = createEngine({ store: openStore(other, options), tools: [tool("there", -1)] });
  const tasks = second.forOwner("local:me");
  const again = await tasks.start({ tool: "count_to", input: {} });
  expect(again.record.id).toBe(started.record.id);
  const { record } = await tasks.wait(started.record.id);
  expect(record).toMatchObject({ status: "completed", output: "all", progress: 10 });
  expect((await tasks.items(started.record.id, { after: 0, limit: 20 })).items).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(ran).toEqual([
    "paid here",
    ...[0, 1, 2, 3].map((at) => `here ${at}`),
    ...[4, 5, 6, 7, 8, 9].map((at) => `there ${at}`),
  ]);
  await second.close();
});
