import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newSchema, testPostgres } from "../database.js";
import { callTool2026, startTask2026 } from "../replica-clients.js";
import { type ServerProcess, startServer, testFolder } from "../server-process.js";

const database = testPostgres();
const modules = {
  1: fileURLToPath(new URL("version-1.js", import.meta.url)),
  2: fileURLToPath(new URL("version-2.js", import.meta.url)),
};
const entry = fileURLToPath(import.meta.resolve("@resumable-mcp/command-line/package.json"));
const storeProgram = join(dirname(entry), "dist", "store", "cli.js");
const env = { NODE_OPTIONS: `--import=${new URL("short-waits.js", import.meta.url).href}` };

type Version = "1" | "2";
type Tool = "copy" | "fold";

/** A task, as its caller knows it. */
interface Started {
  readonly name: string;
  readonly id: string;
}

/** Servers of both versions on one store. */
async function beginUpgrade(place: readonly string[]) {
  const folder = await testFolder();
  const log = join(folder, "begun");
  let count = 0;
  const beginningsOf = ({ name }: Started): readonly (readonly string[])[] => {
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
    return lines.map((line) => line.split(" ")).filter(([named]) => named === name);
  };
  /** Which code began a task from which state; the same code may have done so more than once. */
  const begunOf = (task: Started): readonly string[] => [
    ...new Set(beginningsOf(task).map(([, , version, state]) => `${version} ${state}`)),
  ];
  const untilBegun = (task: Started, ...begun: readonly string[]) => expect.poll(() => begunOf(task)).toEqual(begun);
  return {
    begunOf,
    untilBegun,
    /** Kills the one of two servers that runs a task, which is not always the one that was called. @returns the other one. */
    async killRunnerOf(task: Started, [one, other]: readonly [ServerProcess, ServerProcess]): Promise<ServerProcess> {
      const [, pid] = beginningsOf(task).at(-1) ?? [];
      const [runner, left] = String(one.pid) === pid ? [one, other] : [other, one];
      await runner.kill();
      return left;
    },
    serve(version: Version) {
      const flags = ["--port", "0", "--owner", "single-user"];
      return startServer([modules[version], ...place, ...flags], { ...env, RESUMABLE_MCP_VERSION_WAIT: "500ms" });
    },
    /** Calls a tool at a server. Its task is past its first row then, and stays there until it is let go. */
    async start({ url }: ServerProcess, tool: Tool): Promise<Started> {
      count += 1;
      const name = `${tool}-${count}`;
      const id = await startTask2026(url, tool, { folder, name });
      const progress = async () => (await callTool2026(url, "get_task", { task_id: id })).progress;
      await expect.poll(progress).toBe(1);
      return { name, id };
    },
    letGo: ({ name }: Started) => writeFileSync(join(folder, name), ""),
    /** The tasks that the code of a version would refuse, as an operator finds out. */
    async refusedBy(version: Version): Promise<readonly string[]> {
      const args = ["versions", modules[version], ...place, "--json"];
      const run = promisify(execFile)(process.execPath, [storeProgram, ...args]);
      const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
      const { refused }: { refused: readonly { readonly taskId: string }[] } = JSON.parse(stdout);
      return refused.map(({ taskId }) => taskId);
    },
  };
}

/** What becomes of a task, as a server tells it. */
async function resultOf({ url }: ServerProcess, { id }: Started) {
  const waited = () => callTool2026(url, "wait_for_task", { task_id: id, timeout_seconds: 5 });
  await expect.poll(waited).toEqual({ by: expect.any(String) });
  const { items } = await callTool2026(url, "get_task_items", { task_id: id });
  return { result: await waited(), items };
}

const rowsBy = (...versions: readonly Version[]) => versions.map((version, index) => `row ${index + 1} by ${version}`);
const wholeBy = (version: Version) => ({
  result: { by: version },
  items: rowsBy(version, version, version, version),
});

/** A server says of a task that it waits for a version, in the task, in a wait for it, and in lists. */
async function expectWaitsFor({ url }: ServerProcess, { id }: Started, version: Version): Promise<void> {
  const message = expect.stringMatching(/^Waits for code that can read it/);
  const waiting = { task_id: id, status: "pending", message };
  const shown = () => callTool2026(url, "get_task", { task_id: id });
  await expect.poll(shown).toMatchObject(waiting);
  const waited = await callTool2026(url, "wait_for_task", { task_id: id, timeout_seconds: 0 });
  expect(waited).toMatchObject({ task_id: id, message });
  const { tasks } = await callTool2026(url, "list_session_tasks", { status: ["pending"] });
  expect(tasks).toEqual([expect.objectContaining(waiting)]);
  expect((await shown()).message).toContain(`version ${version}`);
}

test.each([
  ["a folder", async () => ["--store", await testFolder()]],
  ["PostgreSQL", async () => ["--store", database.url(), "--store-schema", newSchema()]],
] as const)(
  "two versions of a tool run side by side on %s, up and down again, and no task is run by code that cannot read it (G2.3)",
  async (_, place) => {
    const upgrade = await beginUpgrade(await place());
    const { serve, start, untilBegun, begunOf, letGo, refusedBy } = upgrade;

    // Side by side: each task stays with its version, also when its process is killed.
    const [old1, old2] = await Promise.all([serve("1"), serve("1")]);
    // Version 2 comes later: a server that looked before another one offered its version takes that version for missing until it looks again.
    const [new1, new2] = await Promise.all([serve("2"), serve("2")]);
    const [copy1, fold2] = await Promise.all([start(old1, "copy"), start(new1, "fold")]);
    const [older, newer] = await Promise.all([
      upgrade.killRunnerOf(copy1, [old1, old2]),
      upgrade.killRunnerOf(fold2, [new1, new2]),
    ]);
    await Promise.all([
      untilBegun(copy1, '1 {"at":0}', '1 {"at":1}'),
      untilBegun(fold2, '2 {"rows":{"done":0}}', '2 {"rows":{"done":1}}'),
    ]);
    letGo(copy1);
    letGo(fold2);
    expect(await resultOf(newer, copy1)).toEqual(wholeBy("1"));
    expect(await resultOf(older, fold2)).toEqual(wholeBy("2"));

    // The last server of version 1 stops: version 2 continues what it can read.
    const [copied, folded] = await Promise.all([start(older, "copy"), start(older, "fold")]);
    expect(await refusedBy("2")).toEqual([folded.id]);
    await older.stop("SIGTERM");
    await untilBegun(copied, '1 {"at":0}', '2 {"rows":{"done":1}}');
    await expectWaitsFor(newer, folded, "1");
    expect(await refusedBy("2")).toEqual([folded.id]);
    letGo(copied);
    expect(await resultOf(newer, copied)).toEqual({ result: { by: "2" }, items: rowsBy("1", "2", "2", "2") });

    // Code that can read the other one comes back.
    const oldAgain = await serve("1");
    await untilBegun(folded, '1 {"at":0}', '1 {"at":1}');
    letGo(folded);
    expect(await resultOf(newer, folded)).toEqual(wholeBy("1"));

    // Down again: version 1 never continues what version 2 left, however it could be migrated the other way.
    const later = await start(newer, "copy");
    await newer.stop("SIGTERM");
    await expectWaitsFor(oldAgain, later, "2");
    expect(await refusedBy("1")).toEqual([later.id]);
    expect(begunOf(later)).toEqual(['2 {"rows":{"done":0}}']);
    const newAgain = await serve("2");
    letGo(later);
    expect(await resultOf(oldAgain, later)).toEqual(wholeBy("2"));
    expect(await refusedBy("2")).toEqual([]);
    await newAgain.stop("SIGTERM");
  },
);
