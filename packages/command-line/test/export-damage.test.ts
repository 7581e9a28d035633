import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyFolder, folderOf, openStore } from "../../store-fs/test/scene.js";
import { everything, json, runWith } from "./command-line.js";
import { breakJournal, filled, options, storeOf } from "./transfer-scene.js";

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

  test("names a task of which a file is not whole", async () => {
    const { directory, ids } = await filled();
    const folder = folderOf(directory, ids.done);
    for (const name of readdirSync(folder)) if (name.startsWith("artifact")) rmSync(join(folder, name));
    const { code, data, errors } = await runWith([], "export", ids.done, ids.asking, ...storeOf(directory));
    expect(code).toBe(1);
    expect(errors).toContain(`damaged  ${ids.done}  TASK_CORRUPT: Artifact "a.bin" of task ${ids.done} is not as long`);
    const report = await runWith([data], "import", "-", ...storeOf(emptyFolder()), "--json");
    expect(JSON.parse(report.out)).toMatchObject({ imported: [ids.asking], refused: [] });
  });
});
