import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { restartDelay } from "./restart-plan.js";
import { splitCommand } from "./split-command.js";
import { supervise } from "./supervise.js";
import { supervisorLimits } from "./supervisor-limits.js";

/** Answers `initialize`, and dies of it. */
const dying = `process.stdin.once("data", (data) => {
  const { id } = JSON.parse(String(data).split("\\n")[0]);
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: {} }) + "\\n", () => process.exit(3));
})`;

function start(script: string) {
  const [input, output, logged] = [new PassThrough(), new PassThrough(), [] as string[]];
  const limits = { ...supervisorLimits, maxCrashes: 2, restartDelayMs: 1 };
  const log = (message: string) => void logged.push(message);
  const { ended } = supervise({ command: [process.execPath, "-e", script], input, output, limits, log });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = () =>
    String(output.read() ?? "")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  return { ended, send, lines, logged };
}

test("a server that cannot stay alive is given up, and whoever waits is told so", async () => {
  const { ended, send, lines, logged } = start(dying);
  send({ id: 1, method: "initialize", params: {} });
  send({ id: 2, method: "tools/call", params: { name: "any", arguments: {} } });
  expect(await ended).toEqual({ kind: "gave_up" });
  expect(lines()).toMatchObject([
    { id: 1, result: {} },
    { id: 2, result: { isError: true, structuredContent: { error: { code: "CRASH_LOOP" } } } },
  ]);
  expect(logged.at(-1)).toContain("died 3 times within 60 s (exit code 3). Giving up.");
});

test("a server that never says a word and exits with a code cannot start", async () => {
  const { ended, logged } = start("process.exit(2)");
  expect(await ended).toEqual({ kind: "cannot_start", exitCode: 2 });
  expect(logged).toEqual([]);
});

test("deaths make the next start wait longer, and only those within the window count", () => {
  const limits = { maxCrashes: 3, crashWindowMs: 100, restartDelayMs: 10, maxRestartDelayMs: 25 };
  expect(restartDelay([0], 0, limits)).toBe(10);
  expect(restartDelay([0, 10], 10, limits)).toBe(20);
  expect(restartDelay([0, 10, 20], 20, limits)).toBe(25);
  expect(restartDelay([0, 10, 20, 30], 30, limits)).toBeUndefined();
  expect(restartDelay([0, 10, 20, 500], 500, limits)).toBe(10);
});

test("a command is split as a shell would", () => {
  expect(splitCommand(`node "my server.js" --name 'a "b"' c\\ d ""`)).toEqual([
    process.execPath,
    "my server.js",
    "--name",
    'a "b"',
    "c d",
    "",
  ]);
  expect(splitCommand("/usr/bin/python3  server.py")).toEqual(["/usr/bin/python3", "server.py"]);
  expect(() => splitCommand("  ")).toThrow("no command");
});
