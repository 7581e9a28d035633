import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { at, checkpoint, commit, create, emptyFolder, lease, newTask } from "../../store-fs/test/scene.js";
import { openAdmin } from "../src/store/open-admin.js";
import type { QuotaRow } from "../src/store/quota-rows.js";
import { json, run, setOptions } from "./command-line.js";
import { databaseUrl, newDatabase, openDatabase, runSql, usePostgres } from "./database.js";

usePostgres();

const question = { message: "?", schema: {} };

/** A database with a finished task of three events and an unfinished one. */
async function filled() {
  const names = newDatabase();
  const store = openDatabase(names);
  const done = await create(store, "done", { key: "done" });
  const held = await lease(store, done);
  await commit(store, held, 1, [checkpoint(1, ["a"]), { type: "completed", output: 1 }]);
  await store.releaseLease(held);
  const open = await create(store, "open", { key: "open" });
  await store.putDocument({ kind: "session", id: "s", owner: "o", value: 1, expectedVersion: 0, now: at(0) });
  return { names, store, done, open };
}

test("names the processes that have it open, by their connections", async () => {
  const names = newDatabase();
  const store = openDatabase(names);
  const unwatch = store.watch(undefined, () => {});
  await lease(store, await create(store, "held"));
  const admin = await openAdmin({ store: databaseUrl(), "store-schema": names.at(-1) });
  onTestFinished(() => admin.close());
  await expect
    .poll(() => admin.processes())
    .toEqual([expect.stringMatching(/^the process on .* with connection \d+$/)]);
  unwatch();
  await store.close();
  expect(await admin.processes()).toEqual([]);
});

test("counts, lists and shows what is there", async () => {
  const { names, done, open } = await filled();
  const url = new URL(databaseUrl());
  expect(await json("stats", ...names)).toEqual({
    code: 0,
    value: {
      store: `${url.hostname}:${url.port}/postgres#${names.at(-1)}`,
      bytes: expect.any(Number),
      total: 2,
      byStatus: { completed: 1, pending: 1 },
      byTool: { count_words: 2 },
      unfinished: 1,
      documents: 1,
      workers: 1,
      quotas: [
        { quota: "maxStoreTasks", limit: 1_000_000, used: 2, refuses: false },
        { quota: "maxStoreBytes", limit: null, used: expect.any(Number), refuses: false },
        { quota: "maxUnfinishedPerOwner", limit: 1_000, used: 1, owner: "client:test", owners: 0, refuses: false },
      ],
    },
  });
  const list = await json("tasks", ...names, "--status", "completed");
  expect(list).toMatchObject({ code: 0, value: { tasks: [{ task_id: done, status: "completed" }] } });
  const shown = await json("show", done, ...names);
  expect(shown).toMatchObject({
    code: 0,
    value: { status: "completed", journalRows: 2, journal: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] },
  });
  expect((await run("items", done, ...names)).out).toBe('"a"');
  expect((await run("tasks", "--all", ...names)).out).toContain(open);
  expect(await json("check", ...names)).toMatchObject({ code: 0, value: { tasks: 2, problems: [] } });
});

test("says before a quota of bytes is set what it would refuse: exactly what servers with it refuse (G11)", async () => {
  const { names } = await filled();
  const rowOf = async (maxBytes?: number) => {
    setOptions({ "max-store-bytes": maxBytes?.toString() });
    const { value } = await json("stats", ...names);
    return (value as { readonly quotas: readonly QuotaRow[] }).quotas[1];
  };
  const used = (await rowOf())?.used ?? 0;
  const make = (limit: number) => create(openDatabase(names, { limits: { maxStoreBytes: limit } }), `new-${limit}`);
  expect(await rowOf(used)).toMatchObject({ limit: used, used, refuses: true });
  await expect(make(used)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", details: { limit: used, used } });
  expect(await rowOf(used + 1)).toMatchObject({ refuses: false });
  expect(await make(used + 1)).toContain("new-");
  setOptions({ "min-free-disk": "1GiB" });
  const { code, errors } = await run("stats", ...names);
  expect([code, errors]).toEqual([
    2,
    expect.stringContaining("(RESUMABLE_MCP_MIN_FREE_DISK) is for a store in a folder"),
  ]);
});

test("stores requests, and deletes what finished long ago", async () => {
  const { names, store, done, open } = await filled();
  const status = async () => (await json("show", open, ...names)).value;
  expect(await json("pause", open, ...names)).toMatchObject({ code: 0, value: { tasks: [{ status: "paused" }] } });
  expect(await status()).toMatchObject({ status: "paused", signals: [{ kind: "pause" }] });
  expect(await json("resume", open, ...names)).toMatchObject({ code: 0, value: { tasks: [{ status: "pending" }] } });
  expect((await run("cancel", open, ...names)).out).toContain("The next process that runs the task applies it.");
  expect(await json("cancel", done, ...names)).toMatchObject({
    code: 1,
    value: { tasks: [], refused: [{ taskId: done, code: "ILLEGAL_TRANSITION" }] },
  });
  const clean = ["clean", "--older-than", "1d", ...names];
  expect(await json(...clean)).toMatchObject({ code: 0, value: { applied: false, tasks: [done] } });
  expect(await json(...clean, "--apply")).toMatchObject({ code: 0, value: { tasks: [done], refused: [] } });
  expect(await store.getTask(done)).toBeUndefined();
});

test("makes the schema on request, and nothing where it only reads", async () => {
  const names = newDatabase();
  const stats = await run("stats", ...names);
  expect(stats).toMatchObject({
    code: 1,
    errors: expect.stringContaining("STORE_LAYOUT: The store's schema has layout"),
  });
  expect(stats.errors).toContain("Run resumable-mcp store migrate");
  expect(await json("migrate", ...names)).toMatchObject({ code: 0, value: { from: null, to: 1 } });
  expect(await run("migrate", ...names)).toMatchObject({ code: 0, out: "The store has layout 1 already." });
  expect(await json("stats", ...names)).toMatchObject({ code: 0, value: { total: 0 } });
});

test("says what is wrong with an address, without the password", async () => {
  const bare = new URL(databaseUrl());
  bare.password = "not-shown";
  const file = join(emptyFolder(), "password");
  writeFileSync(file, `${new URL(databaseUrl()).password}\n`);
  const cases: [string[], string, number?][] = [
    [["--store", bare.href], "28P01: password authentication failed", 1],
    [["--store", "mysql://u:not-shown@h/db"], "--store must be a folder, or a URL"],
    [["--store", "folder", "--store-schema", "x"], "--store-schema is for a database"],
    [["--store", databaseUrl(), "--store-schema", "Two words"], "schema must be 1 to 41 characters"],
  ];
  for (const [args, sentence, expected = 2] of cases) {
    const { code, errors } = await run("stats", ...args);
    expect([code, errors]).toEqual([expected, expect.stringContaining(sentence)]);
    expect(errors).not.toContain("not-shown");
  }
  bare.password = "";
  const withFile = ["--store", bare.href, "--store-password-file", file, "--store-schema", newDatabase().at(-1) ?? ""];
  expect(await run("migrate", ...withFile)).toMatchObject({ code: 0 });
  expect(await run("repair", ...withFile)).toMatchObject({
    code: 2,
    errors: expect.stringContaining("repair is for a folder"),
  });
});

test("names rows that do not fold, and rows that belong to nothing", async () => {
  const { names, store, done, open } = await filled();
  const asking = await create(store, "asking");
  await commit(store, await lease(store, asking), 1, [{ type: "asked", key: "name", question }]);
  const lost = await create(store, "lost");
  await commit(store, await lease(store, lost), 1, [checkpoint(1, ["a", "b"])]);
  await store.createTask({ task: newTask("late", { key: "later" }), reuseResultMs: 0, now: at(1) });
  await runSql(
    names,
    `UPDATE store.journal SET body = 'x' WHERE task = '${done}' AND last_seq = 1;
     UPDATE store.task SET questions = '{}' WHERE id = '${asking}';
     UPDATE store.journal SET items = NULL, end_item = NULL WHERE task = '${lost}' AND last_seq = 2;
     UPDATE store.task SET call = (SELECT call FROM store.task WHERE id = '${done}'), claim = 0 WHERE id = '${open}';
     INSERT INTO store.snapshot (task, seq, record, bytes) VALUES ('nowhere', 1, '{}', 1);
     UPDATE store.document SET value = 'x';`,
  );
  const { code, value } = await json("check", ...names);
  const { tasks, problems } = value as {
    tasks: number;
    problems: { kind: string; taskId?: string; message: string }[];
  };
  expect([code, tasks]).toEqual([1, 5]);
  expect(problems.map(({ kind, taskId, message }) => [kind, taskId, message])).toEqual([
    ["damaged", asking, "the journal gives another questions than the row of the task"],
    ["damaged", done, expect.stringMatching(/^the journal cannot be read: .*JSON/)],
    ["damaged", lost, "the journal gives another item_count than the row of the task"],
    ["orphaned", "nowhere", "belongs to a task that is not there"],
    ["unclaimed", open, "its call leads to another task: the same call begins a second one"],
    ["damaged_server_document", undefined, "the document of kind session cannot be read"],
  ]);
});

test("takes a password in a URL out of the list of processes", async () => {
  const program = fileURLToPath(new URL("../dist/store/cli.js", import.meta.url));
  const command = spawn(process.execPath, [program, "import", "-", ...newDatabase()], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(command, "close");
  const shown = () => readFileSync(`/proc/${command.pid}/cmdline`, "utf8").replaceAll("\0", "");
  await expect.poll(shown).toBe("resumable-mcp-store");
  command.stdin.end();
  await ended;
});
