import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, journalOf, lease, openStore } from "../../store-fs/test/scene.js";
import { everything, json, run } from "./command-line.js";

/** A store with a finished task of three events and an unfinished one. */
async function filled() {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process" });
  const done = await create(store, "done");
  const held = await lease(store, done);
  await commit(store, held, 1, [checkpoint(1, ["a"]), { type: "completed", output: 1 }]);
  const open = await create(store, "open", { label: "from the arguments" });
  await store.close();
  return { directory, done, open };
}

test("counts, lists and shows what is there", async () => {
  const { directory, done, open } = await filled();
  const stats = await json("stats", "--store", directory);
  expect(stats).toMatchObject({ code: 0, value: { total: 2, byStatus: { completed: 1, pending: 1 }, unfinished: 1 } });
  const list = await json("tasks", "--store", directory, "--status", "completed");
  expect(list).toMatchObject({ code: 0, value: { tasks: [{ task_id: done, status: "completed" }] } });
  const shown = await json("show", open, "--store", directory);
  expect(shown).toMatchObject({ code: 0, value: { status: "pending", journal: [{ seq: 1, type: "created" }] } });
  expect((await run("tasks", "--all", "--store", directory)).out).toContain(open);
  // What callers sent is not for operators.
  expect(JSON.stringify(await json("tasks", "--all", "--store", directory))).not.toContain("from the arguments");
});

test("lists unfinished tasks, or what is asked for", async () => {
  const { directory, done, open } = await filled();
  const idsOf = async (...args: string[]) => {
    const { value } = await json("tasks", ...args, "--store", directory);
    return (value as { tasks: { task_id: string }[] }).tasks.map(({ task_id }) => task_id);
  };
  expect(await idsOf()).toEqual([open]);
  expect((await idsOf("--all")).toSorted()).toEqual([done, open]);
  expect(await idsOf("--status", "completed,failed")).toEqual([done]);
  expect(await idsOf("--all", "--tool", "other")).toEqual([]);
});

test("steers all tasks that are named, and refuses a word that means nothing", async () => {
  const { directory, open } = await filled();
  const store = openStore(directory, { durability: "process" });
  const second = await create(store, "second");
  await store.close();
  expect(await json("pause", open, second, "--store", directory)).toMatchObject({
    code: 0,
    value: { tasks: [open, second].map((taskId) => ({ taskId, status: "paused" })) },
  });
  expect(await run("show", open, second, "--store", directory)).toMatchObject({ code: 2 });
  const { code, errors } = await run("check", directory);
  expect([code, errors]).toEqual([2, expect.stringMatching(/^check takes no words: .* named with --store\.$/)]);
});

test.each(["pause", "resume", "cancel", "restart"])(
  "tries %s on each task that is named, and says what became of it",
  async (verb) => {
    const { directory, done, open } = await filled();
    const store = openStore(directory, { durability: "process" });
    const last = await create(store, "last");
    await store.close();
    const named = [verb, open, "no-such-task-here", done, last, "--store", directory];
    const { code, out } = await run(...named);
    expect([code, out.split("\n")]).toEqual([
      1,
      [
        expect.stringContaining(open),
        expect.stringMatching(/^refused {2}no-such-task-here {2}TASK_NOT_FOUND: .* tasks --all lists what is there\.$/),
        expect.stringMatching(new RegExp(`^refused {2}${done} {2}ILLEGAL_TRANSITION: .* [A-Z][^.]+\\.$`)),
        expect.stringContaining(last),
      ],
    ]);
    expect(await json(...named)).toMatchObject({
      code: 1,
      value: {
        tasks: [open, last].map((taskId) => ({ taskId })),
        refused: [
          { taskId: "no-such-task-here", code: "TASK_NOT_FOUND" },
          { taskId: done, code: "ILLEGAL_TRANSITION" },
        ],
      },
    });
  },
);

test("sums up the sizes of all files of a store", async () => {
  const { directory } = await filled();
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(await json("stats", "--store", directory)).toMatchObject({ code: 0, value: { bytes } });
  expect((await run("stats", "--store", directory)).out).toContain(
    `2 tasks in ${directory}, 1 unfinished, ${bytes} bytes`,
  );
});

test("finds nothing wrong with a sound store, and changes nothing in it", async () => {
  const { directory } = await filled();
  const before = everything(directory);
  const check = await json("check", "--store", directory);
  expect(check).toMatchObject({ code: 0, value: { tasks: 2, problems: [] } });
  expect(everything(directory)).toBe(before);
});

test("names a damaged task, and leaves it where it is", async () => {
  const { directory, done } = await filled();
  const path = journalOf(directory, done);
  const bytes = readFileSync(path);
  bytes[50] = (bytes[50] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const before = everything(directory);
  const check = await json("check", "--store", directory);
  expect(check).toMatchObject({ code: 1, value: { problems: [{ kind: "damaged", taskId: done }] } });
  expect(everything(directory)).toBe(before);
});

test("says what is wrong with a command, an id, or a folder", async () => {
  const { directory } = await filled();
  expect((await run("remove")).code).toBe(2);
  expect((await run("check", "--stor", directory)).code).toBe(2);
  expect(await run("show", "no-such-task-here", "--store", directory)).toMatchObject({ code: 1 });
  expect(await run("show", "../../format", "--store", directory)).toMatchObject({ code: 1 });
  const empty = emptyFolder();
  const nothing = await json("stats", "--store", join(empty, "none"));
  expect(nothing).toMatchObject({ code: 1, value: { error: { code: "STORE_MISSING" } } });
  expect(readdirSync(empty)).toEqual([]);
});

test("prints the version of its package", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await run("--version")).toMatchObject({ code: 0, out: version, errors: "" });
});
