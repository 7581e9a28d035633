import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeLine } from "@resumable-mcp/store-fs/admin";
import { describe, expect, test } from "vitest";
import { create, emptyFolder, newTask, now, openStore } from "../../store-fs/test/scene.js";
import { everything, json, runWith } from "./command-line.js";
import { forge, forgeries } from "./forged-exports.js";
import { contentOf, exported, filled, options, storeOf } from "./transfer-scene.js";

describe("an import", () => {
  test("refuses a task whose id or whose call another one has there, and brings the others", async () => {
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
      refused: { taskId: string; code: string; message: string }[];
      imported: string[];
    };
    const message = `The unfinished task ${rival} has the call of task ${ids.asking}, which stays as it is. Use task ${rival}.`;
    expect(refused.filter(({ code }) => code === "KEY_TAKEN")).toMatchObject([{ taskId: ids.asking, message }]);
    expect(refused.map(({ taskId, code }) => [taskId, code]).sort()).toEqual([
      [ids.asking, "KEY_TAKEN"],
      [ids.done, "TASK_EXISTS"],
    ]);
    expect(imported.sort()).toEqual([ids.long, ids.paused].sort());
    expect([await contentOf(there, snapshot.record.id), await contentOf(there, rival)]).toEqual(before);
    expect(await there.getTask(ids.asking)).toBeUndefined();
    // The open store keeps an empty place for the next task.
    const trash = join(other, "trash");
    expect(readdirSync(trash).flatMap((name) => readdirSync(join(trash, name)))).toEqual([]);
  });

  test.each([
    ["a changed byte", (file: Buffer) => file.with(200, file[200] === 97 ? 98 : 97)],
    [
      "a later version",
      () => encodeLine(JSON.stringify({ type: "export", format: "resumable-mcp-tasks", version: 2 })),
    ],
    ["no export at all", () => Buffer.from("hello\n")],
    ["nothing in it", () => Buffer.alloc(0)],
  ])("refuses a file with %s, and leaves the store as it is", async (_, change) => {
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
    ["a signal", { signals: [{ id: "x", kind: "/../../../../stray" }] }],
    ["an answer", { signals: [{ id: "x", kind: "answer" }] }],
  ])("refuses %s that was made up, and writes nothing outside the store", async (_, task) => {
    const { directory, ids } = await filled();
    const whole = (await runWith([], "export", ids.paused, ...storeOf(directory))).data;
    const { data } = forge(whole, ["task"], (line) => Object.assign(line, task));
    const above = emptyFolder();
    const other = join(above, "a", "b");
    const { code, out } = await runWith([data], "import", "-", ...storeOf(other), "--json");
    expect([code, JSON.parse(out)]).toMatchObject([1, { imported: [], error: { code: "EXPORT_INVALID" } }]);
    expect(everything(above)).not.toContain("stray");
    expect((await openStore(other).countTasks({})).total).toBe(0);
  });

  test.each(forgeries)(
    "refuses %s that was forged, names line and field, and writes nothing",
    async (_, place, change, reason) => {
      const { directory } = await filled();
      const { data, line } = forge(await exported(directory), place, change);
      const above = emptyFolder();
      const other = join(above, "a", "b");
      const file = join(emptyFolder(), "tasks.jsonl");
      writeFileSync(file, data);
      const { code, value } = await json("import", file, ...storeOf(other));
      expect([code, value]).toMatchObject([
        1,
        { imported: [], documents: { imported: 0 }, error: { code: "EXPORT_INVALID" } },
      ]);
      const { message } = Reflect.get(Object(value), "error") as { readonly message: string };
      expect(message).toMatch(reason);
      // What is wrong with a count shows at its task's end.
      expect(Number(/^Line (\d+) /.exec(message)?.[1])).toBeGreaterThanOrEqual(line);
      expect(everything(above)).not.toContain("stray");
      const store = openStore(other);
      expect([(await store.countTasks({})).total, await store.getDocument("key", "signing")]).toEqual([0, undefined]);
    },
  );
});
