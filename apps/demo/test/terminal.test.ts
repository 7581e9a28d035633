import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTerminal } from "./pseudo-terminal.js";

const enter = "\r";
const down = "\u001b[B";
const interrupt = "\u0003";
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-"));
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 }));

test("opens the terminal UI, in which the server can be killed and started again", async () => {
  const terminal = openTerminal(program, ["--port", "0"], folder);
  await terminal.sees(/kill -9 the server/);
  terminal.press("k");
  await terminal.sees(/was killed with SIGKILL/);
  terminal.press("r");
  await terminal.sees(/The server runs again/);
  terminal.press("0");
  expect(await terminal.closed).toEqual([0, null]);
});

test("says on leaving that an unfinished task waits for the server, which stops", async () => {
  const terminal = openTerminal(program, ["--port", "0"], folder);
  await terminal.sees(/kill -9 the server/);
  terminal.press("1");
  await terminal.sees(/resumable_data_processing/);
  terminal.press(enter);
  await terminal.sees(/▸ dataset_name/);
  for (const field of ["total_records", "batch_size", "delay_ms"]) {
    terminal.press(down);
    await terminal.sees(new RegExp(`▸ ${field}`));
  }
  terminal.press(enter);
  await terminal.sees(/10\/100/);
  terminal.press(interrupt);
  await terminal.sees(/1 task is not finished\. The server stops now; start it again to continue/);
  await terminal.closed;
});
