import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type SupervisorLimits, supervisorLimits } from "../limits.js";
import { restartDelay, supervise } from "./supervise.js";
import { commandWords } from "./supervise-command.js";

/** Answers `initialize`, and dies of it. */
const dying = `process.stdin.once("data", (data) => {
  const { id } = JSON.parse(String(data).split("\\n")[0]);
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: {} }) + "\\n", () => process.exit(3));
})`;

function start(script: string, changed: Partial<SupervisorLimits> = {}, cannotStartCode?: number) {
  const [input, output, logged] = [new PassThrough(), new PassThrough(), [] as string[]];
  const limits = { ...supervisorLimits, maxCrashes: 2, restartDelayMs: 1, ...changed };
  const log = (message: string) => void logged.push(message);
  const { ended } = supervise({
    command: [process.execPath, "-e", script],
    input,
    output,
    limits,
    log,
    cannotStartCode,
  });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = () =>
    String(output.read() ?? "")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  return { ended, send, lines, logged, input, output };
}

test("a server that cannot stay alive is given up, and every waiting caller receives an error", async () => {
  const { ended, send, lines, logged } = start(dying);
  send({ id: 1, method: "initialize", params: {} });
  send({ id: 2, method: "tools/call", params: { name: "any", arguments: {} } });
  expect(await ended).toEqual({ kind: "gave_up" });
  expect(lines()).toMatchObject([
    { id: 1, result: {} },
    { id: 2, result: { isError: true, structuredContent: { error: { code: "CRASH_LOOP" } } } },
  ]);
  expect(logged.at(-1)).toContain("died 3 times within 60 s (exit code 3). Giving up.");
  expect(logged[1]).toBe("The server died (exit code 3); starting it again with 1 request in flight.");
});

/** Answers all but the question for its tools. */
const withoutList = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== "tools/list") console.log(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
});
process.stdin.on("end", () => process.exit(0));`;

test("a call that waits for the list of tools reaches a server that never lists them (G11)", async () => {
  const { ended, send, input, output } = start(withoutList, { toolListTimeoutMs: 1 });
  send({ id: 1, method: "tools/call", params: { name: "any", arguments: { client_id: "ada" } } });
  const [line] = await once(createInterface({ input: output }), "line");
  expect(JSON.parse(String(line))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  input.end();
  expect(await ended).toEqual({ kind: "host_gone" });
});

/** Answers each request. On `leave`, a child process kills it and keeps its stdout. */
const leaving = `
const left = 'console.log(JSON.stringify({ jsonrpc: "2.0", method: "left", params: { pid: process.pid, server: process.ppid } })); process.kill(process.ppid, "SIGKILL"); setInterval(() => {}, 1000)';
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "leave") require("node:child_process").spawn(process.execPath, ["-e", left], { stdio: ["ignore", "inherit", "inherit"] });
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
});`;

/** Resolves when this process has noticed the death of its child. */
async function reaped(pid: number): Promise<void> {
  while (isThere(pid)) await nextTurn();
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a server that died is replaced though a process that it left behind holds its stdout, and its host can continue", async () => {
  const { ended, send, input, output } = start(leaving, { lastWordsMs: 100 });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value);
  const leave = async () => {
    send({ method: "leave" });
    const { params } = (await next()) as { params: { pid: number; server: number } };
    onTestFinished(() => void process.kill(params.pid, "SIGKILL"));
    await reaped(params.server);
  };
  send({ id: 1, method: "initialize", params: {} });
  expect(await next()).toMatchObject({ id: 1, result: {} });
  await leave();
  // No process reads this until the next server runs.
  send({ id: 2, method: "ping" });
  send({ id: 3, method: "ping" });
  expect([await next(), await next()]).toMatchObject([{ id: 2 }, { id: 3 }]);
  await leave();
  input.end();
  expect(await ended).toEqual({ kind: "host_gone" });
});

/** Dies of every call; all that is known of its tool is that calling it again does no harm. */
const poisoned = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const tools = [{ name: "poison", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
  const answer = () => console.log(JSON.stringify({ jsonrpc: "2.0", id, result: method === "tools/list" ? { tools } : {} }));
  if (method === "tools/call") process.exit(3);
  else if (id !== undefined) answer();
});`;

test("a call of which every server dies is answered, and the server lives on without it (G12)", async () => {
  const { ended, send, input, output } = start(poisoned, { maxCrashes: 8 });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value);
  send({ id: 1, method: "initialize", params: {} });
  expect(await next()).toMatchObject({ id: 1, result: {} });
  send({ id: 2, method: "tools/call", params: { name: "poison", arguments: {} } });
  expect(await next()).toMatchObject({
    id: 2,
    result: { isError: true, structuredContent: { error: { code: "CRASH_LOOP" } } },
  });
  send({ id: 3, method: "ping" });
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
  input.end();
  expect(await ended).toEqual({ kind: "host_gone" });
});

test("a server that never says a word and exits with a code cannot start", async () => {
  const { ended, logged } = start("process.exit(2)");
  expect(await ended).toEqual({ kind: "cannot_start", exitCode: 2 });
  expect(logged).toEqual([]);
});

test("a server that says by its exit code that it cannot start is not started again, though it has spoken", async () => {
  const { ended, send, lines, logged } = start(dying, {}, 3);
  send({ id: 1, method: "initialize", params: {} });
  send({ id: 2, method: "ping" });
  expect(await ended).toEqual({ kind: "cannot_start", exitCode: 3 });
  const message = "The server cannot start, so the supervisor does not start it again. The server's log says more.";
  expect([lines(), logged]).toEqual([
    [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32_603, message } },
    ],
    [],
  ]);
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
  expect(commandWords(`node "my server.js" --name 'a "b"' c\\ d ""`)).toEqual([
    process.execPath,
    "my server.js",
    "--name",
    'a "b"',
    "c d",
    "",
  ]);
  expect(commandWords("/usr/bin/python3  server.py")).toEqual(["/usr/bin/python3", "server.py"]);
  expect(() => commandWords("  ")).toThrow("empty or has an open quote");
});
