import { EventEmitter, once } from "node:events";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineTool } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkpoint, commit, emptyFolder, lease, newTask, now, openStore } from "../../store-fs/test/scene.js";
import { openAdmin } from "../src/store/open-admin.js";
import { everything, json, run, runWith } from "./command-line.js";
import { answer, contentOf, exported, filled, importUntil, options, storeOf } from "./transfer-scene.js";

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
    for (let part = 1; part < 8; part += 2) {
      const other = emptyFolder();
      const cut = file.subarray(0, (file.byteLength * part) / 8);
      const refused = await runWith([cut], "import", "-", ...storeOf(other), "--json");
      expect([refused.code, JSON.parse(refused.out)]).toMatchObject([
        1,
        { imported: [], error: { code: "EXPORT_INVALID" } },
      ]);
      const imported = await importUntil(await openAdmin({ store: other }), cut);
      expect(await json("check", ...storeOf(other))).toMatchObject({ code: 0, value: { problems: [] } });
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
