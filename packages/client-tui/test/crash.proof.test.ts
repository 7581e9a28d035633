import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort, kill, killAll, overStdio, run, type Spawned, startCli, startServer } from "./processes.js";

let folder: string;
let gate: string;
let port: number;
let server: Spawned;
let common: readonly string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "crash-"));
  gate = join(folder, "gate");
  port = await freePort();
  server = await startServer(port, join(folder, "store"));
  common = ["--url", `http://127.0.0.1:${port}/mcp`, "--state", join(folder, "state.json")];
});

afterEach(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

const json = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
const progressOf = (text: string) => [...text.matchAll(/\((\d+)\/20\)/g)].map((match) => Number(match[1]));
const rising = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));

describe("a call", () => {
  it("continues when its server is killed and started again, without gap, repeat or step back", async () => {
    const call = startCli("call", "count", "to=20", `gate=${gate}`, ...common);
    await call.seen(/\(5\/20\)/);
    await kill(server);
    await call.seen(/connection lost/);
    server = await startServer(port, join(folder, "store"));
    await writeFile(gate, "");
    expect(await call.ended).toBe(0);
    expect(JSON.parse(call.stdout())).toEqual({ counted: 20 });
    expect(progressOf(call.stderr())).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("is the same task when the client is killed in it and run again", async () => {
    const first = startCli("call", "count", "to=20", `gate=${gate}`, "--json", ...common);
    await first.seen(/"progress":5,/);
    await kill(first);
    const second = startCli("call", "count", "to=20", `gate=${gate}`, "--json", ...common);
    await second.seen(/"progress":/);
    await writeFile(gate, "");
    expect(await second.ended).toBe(0);
    const [before] = json(first.stdout());
    const lines = json(second.stdout());
    expect(lines[0]).toEqual({ ...before, joined: true });
    const seen = lines.flatMap((line) => (line.type === "progress" ? [Number(line.progress)] : []));
    expect([rising(seen), Number(seen[0]) >= 5, seen.at(-1)]).toEqual([true, true, 20]);
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      task_id: before?.task_id,
      structured_content: { counted: 20 },
    });
  });

  it("is found where it was after both sides were killed, and continues from there", async () => {
    const first = startCli("call", "count", "to=20", `gate=${gate}`, ...common);
    const [, id = ""] = await first.seen(/^Task (\S+)/m);
    await first.seen(/\(5\/20\)/);
    await Promise.all([kill(first), kill(server)]);
    server = await startServer(port, join(folder, "store"));
    const list = JSON.parse((await run("tasks", "--json", ...common)).stdout);
    expect(list.tasks).toMatchObject([{ task_id: id, task_name: "count", total: 20 }]);
    const again = startCli("call", "count", "to=20", `gate=${gate}`, ...common);
    await again.seen(/\(\d+\/20\)/);
    await writeFile(gate, "");
    expect(await again.ended).toBe(0);
    expect(JSON.parse(again.stdout())).toEqual({ counted: 20 });
    const seen = progressOf(again.stderr());
    expect([rising(seen), Number(seen[0]) >= 5, seen.at(-1)]).toEqual([true, true, 20]);
    expect(again.stderr()).toContain(`Continuing task ${id}`);
  });

  it("leaves a resumable task on Ctrl-C and says how to return", async () => {
    const call = startCli("call", "count", "to=20", `gate=${gate}`, ...common);
    const [, id = ""] = await call.seen(/^Task (\S+)/m);
    await call.seen(/\(3\/20\)/);
    call.child.kill("SIGINT");
    expect(await call.ended).toBe(130);
    expect(call.stderr()).toContain(`resumable-mcp watch ${id}`);
    await writeFile(gate, "");
    const watched = await run("watch", id, ...common);
    expect([watched.code, JSON.parse(watched.stdout)]).toEqual([0, { counted: 20 }]);
  });

  it("pauses its task on Ctrl-C with --on-interrupt pause", async () => {
    const call = startCli("call", "count", "to=20", "delay_ms=200", "--on-interrupt", "pause", ...common);
    const [, id = ""] = await call.seen(/^Task (\S+)/m);
    await call.seen(/\(1\/20\)/);
    call.child.kill("SIGINT");
    expect(await call.ended).toBe(130);
    expect((await run("wait", id, ...common)).code).toBe(5);
    expect((await run("resume", id, ...common)).code).toBe(0);
    expect((await run("wait", id, ...common)).code).toBe(0);
  });

  it("is left after --timeout, and continues", async () => {
    const left = await run("call", "count", "to=20", `gate=${gate}`, "--timeout", "0.5s", ...common);
    // On a slow machine the time can be over before the server has answered at all.
    expect([left.code, left.stderr]).toEqual([
      7,
      expect.stringMatching(/continues on its server|what has started continues/),
    ]);
    await writeFile(gate, "");
    expect((await run("call", "count", "to=20", `gate=${gate}`, ...common)).code).toBe(0);
  });
});

describe("scripts", () => {
  it("start detached, poll, wait and fetch the result from another process", async () => {
    const started = await run("call", "count", "to=5", "--detach", ...common);
    const id = started.stdout.trim();
    expect(started.code).toBe(0);
    const waited = await run("wait", id, ...common);
    expect([waited.code, JSON.parse(waited.stdout)]).toEqual([0, { counted: 5 }]);
    expect(JSON.parse((await run("result", id, "--json", ...common)).stdout)).toMatchObject({
      structured_content: { counted: 5 },
    });
    expect(JSON.parse((await run("show", id, "--json", ...common)).stdout)).toMatchObject({
      status: "completed",
      item_count: 5,
    });
    expect((await run("session", ...common)).stdout).toContain(`${id}  count  completed`);
  });

  it("see a detached task that ended meanwhile as completed", async () => {
    const id = (await run("call", "count", "to=3", "--detach", ...common)).stdout.trim();
    const counts = async () => JSON.parse((await run("stats", "--json", ...common)).stdout).servers[0].checkpoint_stats;
    await expect.poll(counts).toMatchObject({ completed: 1 });
    expect(JSON.parse((await run("session", "--json", ...common)).stdout)).toMatchObject({
      active_tasks: [],
      completed_tasks: [{ task_id: id, status: "completed" }],
      failed_tasks: [],
      cancelled_tasks: [],
    });
  });

  it("learn that a task asks, answer it, and get its result", async () => {
    const asked = await run("call", "confirm", ...common);
    expect(asked.code).toBe(6);
    const [, id = ""] = asked.stderr.match(/answer (\S+) sure/) ?? [];
    expect((await run("answer", id, "sure", "sure=maybe", ...common)).code).toBe(2);
    expect((await run("answer", id, "sure", "sure=true", ...common)).code).toBe(0);
    expect(JSON.parse((await run("wait", id, ...common)).stdout)).toEqual({
      action: "accept",
      content: { sure: true },
    });
  });

  it("cancel a task and learn it from the exit code", async () => {
    const id = (await run("call", "count", "to=200", "--detach", ...common)).stdout.trim();
    expect((await run("result", id, ...common)).code).toBe(7);
    expect((await run("cancel", id, ...common)).code).toBe(0);
    expect((await run("wait", id, ...common)).code).toBe(8);
  });

  it("begin a new run of the same call with --new", async () => {
    const call = ["call", "count", "to=200", "--detach"];
    const first = (await run(...call, ...common)).stdout.trim();
    expect((await run(...call, ...common)).stdout.trim()).toBe(first);
    expect((await run(...call, "--new", ...common)).stdout.trim()).not.toBe(first);
  });
});

describe("a server over stdio", () => {
  it("takes its task up again after the client was killed with it, and is remembered", async () => {
    const state = ["--state", join(folder, "stdio.json")];
    const stdio = [...overStdio(join(folder, "stdio-store")), ...state];
    const first = startCli("call", "count", "to=20", `gate=${gate}`, ...stdio);
    await first.seen(/\(5\/20\)/);
    await kill(first);
    await writeFile(gate, "");
    const second = await run("call", "count", "to=20", `gate=${gate}`, ...stdio);
    const seen = progressOf(second.stderr);
    expect([second.code, rising(seen), Number(seen[0]) >= 5, seen.at(-1)]).toEqual([0, true, true, 20]);
    expect((await run("tasks", "--all", ...state)).stdout).toContain("completed  100% (20/20)");
  });
});
