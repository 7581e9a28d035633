import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "./built-program.js";
import { limitedEngine } from "./limited-tools.js";
import { emptyFolder, openStore } from "./scene.js";

const program = builtProgram("limited-child");

const untilKilledMs = 2 ** 30;

/** What a process reported, by the machine's monotonic clock; or that it was killed. */
interface Report {
  readonly what: "started" | "begins" | "ends" | "killed";
  readonly task?: string;
  readonly atMs: number;
  readonly by: ChildProcess;
}

/** Processes on one folder, which are killed and not closed. */
function scene(tool: string) {
  const directory = emptyFolder();
  const reports: Report[] = [];
  const count = (what: Report["what"]) => reports.filter((report) => report.what === what).length;
  const start = (first: number, tasks: number, ms: number) => {
    const words = [program, directory, tool, ...[first, tasks, ms].map(String)];
    const by = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: by.stdout }).on("line", (line) => reports.push({ ...JSON.parse(line), by }));
    onTestFinished(() => void by.kill("SIGKILL"));
    return by;
  };
  const kill = async (by: ChildProcess) => {
    const closed = once(by, "close");
    reports.push({ what: "killed", atMs: Number(process.hrtime.bigint()) / 1e6, by });
    by.kill("SIGKILL");
    await closed;
  };
  return { directory, reports, count, start, kill };
}

/** How many tasks ran at once, at most. */
function mostAtOnce(reports: readonly Report[]): number {
  const running = new Map<unknown, ChildProcess>();
  let most = 0;
  for (const { what, task, by } of reports.toSorted((one, other) => one.atMs - other.atMs)) {
    if (what === "begins") running.set(task, by);
    if (what === "ends") running.delete(task);
    if (what === "killed") for (const [other, owner] of running) if (owner === by) running.delete(other);
    most = Math.max(most, running.size);
  }
  return most;
}

test("however often processes are killed, as many tasks of a tool run as may, and all of them end (G11.7)", async () => {
  const { directory, reports, count, start, kill } = scene("three_at_once");
  const processes = [start(0, 3, untilKilledMs)];
  await expect.poll(() => count("begins")).toBe(3);
  processes.push(start(10, 20, 30), start(30, 20, 30));
  await expect.poll(() => count("started")).toBe(3);
  expect(count("begins")).toBe(3);
  for (let killed = 0; killed < 6; killed += 1) {
    const [oldest] = processes.splice(0, 1);
    if (oldest !== undefined) await kill(oldest);
    const ended = count("ends");
    processes.push(start(100 * (killed + 1), 10, 30));
    await expect.poll(() => count("ends")).toBeGreaterThan(ended);
  }
  const store = openStore(directory);
  await expect.poll(async () => Object.keys((await store.countTasks({})).byStatus)).toEqual(["completed"]);
  expect(mostAtOnce(reports)).toBe(3);
});

test("tasks that wait for a tool's rate wait on after all processes were killed, and those that had begun continue (G11.8)", async () => {
  const { directory, count, start, kill } = scene("three_in_an_hour");
  const processes = [start(0, 4, untilKilledMs), start(4, 4, untilKilledMs)];
  await expect.poll(() => [count("started"), count("begins")]).toEqual([2, 3]);
  for (const each of processes) await kill(each);
  const engine = limitedEngine(directory, () => {});
  onTestFinished(() => engine.close());
  await engine.open();
  const tasks = engine.forOwner("client:a");
  const statuses = async () => (await tasks.list()).tasks.map(({ status }) => status).toSorted();
  const waits = async () => {
    const { tasks: pending } = await tasks.list({ statuses: ["pending"] });
    return Promise.all(pending.map(async ({ id }) => (await tasks.get(id)).waitsFor?.limit));
  };
  const expected = [...Array(3).fill("completed"), ...Array(5).fill("pending")];
  await expect.poll(statuses).toEqual(expected);
  await expect.poll(waits).toEqual(Array(5).fill("rate"));
  expect(await statuses()).toEqual(expected);
});
