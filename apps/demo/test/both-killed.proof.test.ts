import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { startDemoServer } from "../src/processes/demo-server.js";
import { findScript } from "../src/processes/program.js";
import { openTerminal } from "./pseudo-terminal.js";

const total = 50;
const batchSize = 5;
/** Between a number on the screen and the next one there is time for a kill. */
const delayMs = 400;
const killedAt = 15;
const enter = "\r";
const backspace = "\u007f";
const down = "\u001b[B";

const built = new URL("../dist/", import.meta.url);
const client = findScript("@resumable-mcp/client-tui", "resumable-mcp-client");

const taskList = z.object({
  tasks: z.array(
    z.object({
      task_id: z.string(),
      status: z.string(),
      interrupted: z.boolean(),
      progress: z.number(),
      item_count: z.number(),
      attempt: z.number(),
    }),
  ),
});
const page = z.object({
  structured_content: z.object({ items: z.array(z.object({ record_id: z.string() })), total: z.number() }),
});

let folder: string;
const endings: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "both-killed-"));
});
afterEach(async () => {
  for (const end of endings.splice(0)) await end().catch(() => undefined);
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

async function startServer(port: number) {
  const server = await startDemoServer({ built, store: join(folder, "store"), port });
  endings.push(() => server.end("SIGKILL"));
  return server;
}

function startClient(url: string) {
  const terminal = openTerminal(client, ["--url", url, "--state", join(folder, "state.json")], folder);
  endings.push(() => terminal.kill());
  return terminal;
}

/** Asks the server by another program of the same user. */
async function ask(url: string, ...args: string[]): Promise<unknown> {
  const common = ["--json", "--url", url, "--state", join(folder, "state.json")];
  const { stdout } = await promisify(execFile)(process.execPath, [client, ...args, ...common]);
  return JSON.parse(stdout);
}

/** Replaces what stands in the field of the form at which the cursor is. */
async function fillIn(terminal: ReturnType<typeof startClient>, field: string, value: number) {
  const [, before = ""] = await terminal.sees(new RegExp(`▸ ${field}\\s+(\\d+)_`));
  let left = before;
  for (const _digit of before) {
    terminal.press(backspace);
    left = left.slice(0, -1);
    await terminal.sees(new RegExp(`▸ ${field}\\s+${left}_`));
  }
  terminal.press(String(value));
  await terminal.sees(new RegExp(`▸ ${field}\\s+${value}_`));
}

test("server and UI killed at 15 of 50 and started again: the UI tells of one task at 30 %, which waits for R and ends with each record once (feature 29)", async () => {
  const first = await startServer(0);
  const { url, port } = first;
  const before = startClient(url);
  await before.sees(/process data/);
  before.press("1");
  await before.sees(/resumable_data_processing/);
  before.press(enter);
  await before.sees(/▸ dataset_name/);
  before.press(down);
  await fillIn(before, "total_records", total);
  before.press(down);
  await fillIn(before, "batch_size", batchSize);
  before.press(down);
  await fillIn(before, "delay_ms", delayMs);
  before.press(enter);
  await before.sees(new RegExp(`${killedAt}/${total}`));
  await Promise.all([first.end("SIGKILL"), before.kill()]);

  await startServer(port);
  const { tasks: found } = taskList.parse(await ask(url, "tasks"));
  const at = found[0]?.progress ?? 0;
  // A machine that was late with the kill may have let another batch through.
  expect([at >= killedAt, at < total, at % batchSize]).toEqual([true, true, 0]);
  const waiting = [{ interrupted: true, progress: at, item_count: at, attempt: 1 }];
  expect(found).toMatchObject(waiting);

  const after = startClient(url);
  await after.sees(/1 of your tasks: 1 interrupted\./);
  await after.sees(new RegExp(`${(at / total) * 100}% \\(${at}/${total}\\).* interrupted`));
  expect(taskList.parse(await ask(url, "tasks"))).toMatchObject({ tasks: waiting });
  after.press("R");
  await after.sees(/Resume 1 interrupted task\? \(y\/n\)/);
  after.press("y");
  await after.sees(new RegExp(`\\(${at + batchSize}/${total}\\)`));
  await after.sees(new RegExp(`100% \\(${total}/${total}\\).* completed`));

  expect(taskList.parse(await ask(url, "tasks", "--all"))).toMatchObject({
    tasks: [{ task_id: found[0]?.task_id, status: "completed", progress: total, item_count: total, attempt: 2 }],
  });
  const items = await ask(url, "call", "get_task_items", `task_id=${found[0]?.task_id}`);
  const expected = Array.from({ length: total }, (_, index) => `default_dataset_${String(index).padStart(6, "0")}`);
  const { structured_content } = page.parse(items);
  expect(structured_content).toEqual({ items: expected.map((record_id) => ({ record_id })), total });
});
