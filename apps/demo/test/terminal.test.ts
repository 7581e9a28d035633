import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTerminal } from "./pseudo-terminal.js";

const timeoutMs = 60_000;
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("opens the terminal UI, in which the server can be killed and started again", { timeout: timeoutMs }, async () => {
  const terminal = openTerminal(program, ["--port", "0"], folder);
  await terminal.sees(/kill -9 the server/);
  terminal.press("k");
  await terminal.sees(/was killed with SIGKILL: r starts the server again\./);
  terminal.press("r");
  await terminal.sees(/The server runs again/);
  terminal.press("0");
  expect(await terminal.closed).toEqual([0, null]);
});
