import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, type ClientEvent, isClientError, openClient } from "../src/index.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { FakeTasks } from "./fake-tasks.js";
import { createFakeMcpServer } from "./fake-tools.js";

let folder: string;
let stateFile: string;
let tasks: FakeTasks;
let server: FakeServer;
const clients: Client[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-"));
  stateFile = join(folder, "state.json");
  tasks = new FakeTasks();
  server = await startFakeServer(() => createFakeMcpServer(tasks));
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.kill();
  await rm(folder, { recursive: true });
});

/** What a new process does: the state file is all that is left of the one before. */
async function open(url = server.url): Promise<Client> {
  const limits = { reconnectInitialDelayMs: 1, reconnectMaxDelayMs: 20, idlePollDelayMs: 1, saveProgressMs: 0 };
  const client = await openClient({ servers: [{ url }], stateFile, limits });
  clients.push(client);
  return client;
}

/** Reads events until one is of the type, or to the end. */
async function until(events: AsyncIterator<ClientEvent>, type: ClientEvent["type"]): Promise<ClientEvent[]> {
  const read: ClientEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done === true) return read;
    read.push(next.value);
    if (next.value.type === type) return read;
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isClientError(error) ? error.code : `not a client error: ${String(error)}`;
}

const shown = (events: readonly ClientEvent[]) =>
  events.flatMap((event) => (event.type === "progress" ? [event.progress] : event.type === "log" ? [event.data] : []));

describe("a task that is forgotten", () => {
  it("is on no list of this client any more, goes on, and comes back with the same call", async () => {
    const client = await open();
    const { taskId = "" } = await client.call("count", { to: 50 });
    await client.task(taskId).forget();
    const next = await open();
    expect([await next.unfinished(), next.summary().activeTasks]).toEqual([[], []]);
    expect((await tasks.started()).status).toBe("running");
    expect((await next.call("count", { to: 50 })).taskId).toBe(taskId);
    expect((await next.unfinished()).map(({ id }) => id)).toEqual([taskId]);
  });
});

describe("a task's journal", () => {
  it("tells what happened, with what the server adds to each event", async () => {
    const client = await open();
    const { taskId = "" } = await client.call("count", { to: 50 });
    (await tasks.started()).checkpoint(5);
    expect(await client.task(taskId).journal()).toEqual({
      lastSeq: 1,
      events: [{ seq: 1, type: "checkpoint", data: { progress: 5, total: 50 } }],
    });
  });

  it("is absent where a server offers no resources", async () => {
    const client = await open();
    const { taskId = "" } = await client.call("count", { to: 50 });
    server.onRequest = ({ method, params }) => {
      if (method === "resources/read" && params !== undefined) Object.assign(params, { uri: "task://nobody/journal" });
      return undefined;
    };
    expect(await client.task(taskId).journal()).toBeUndefined();
  });
});

describe("a call", () => {
  it("comes back with the task's id, tells progress and log in order, and ends with the tool's own result", async () => {
    const client = await open();
    const call = await client.call("count", { n: 1 });
    const task = await tasks.started();
    expect(call.taskId).toBe(task.id);
    task.log("begun");
    task.checkpoint(10);
    task.checkpoint(20);
    task.complete({ counted: 20 });
    const events = await until(call.events(), "dropped");
    expect(events).toEqual([
      { type: "log", level: "info", data: "begun", seq: 1 },
      { type: "progress", progress: 10, total: 50, percent: 20, message: "Processed 10/50 records", seq: 2 },
      { type: "progress", progress: 20, total: 50, percent: 40, message: "Processed 20/50 records", seq: 3 },
    ]);
    const result = await call.result();
    expect([result.status, result.structuredContent, result.taskId]).toEqual(["completed", { counted: 20 }, task.id]);
  });

  it("goes on through a killed server without gap, repeat or step back, and says that the session changed", async () => {
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    const events = call.events();
    task.checkpoint(5);
    const before = await until(events, "progress");
    await server.kill();
    task.checkpoint(10);
    task.checkpoint(15);
    const during = await until(events, "reconnecting");
    await server.start();
    task.checkpoint(20);
    task.complete({ counted: 20 });
    const after = await until(events, "dropped");
    expect(shown([...before, ...during, ...after])).toEqual([5, 10, 15, 20]);
    expect(after.map(({ type }) => type)).toContain("session_changed");
    expect((await call.result()).structuredContent).toEqual({ counted: 20 });
    expect(tasks.all).toHaveLength(1);
  });

  it("goes on in the same session when only its stream breaks", async () => {
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    const events = call.events();
    task.checkpoint(5);
    const before = await until(events, "progress");
    server.cut();
    task.checkpoint(10);
    const after = await until(events, "progress");
    expect(shown([...before, ...after])).toEqual([5, 10]);
    expect(after.map(({ type }) => type)).not.toContain("session_changed");
    await events.return?.();
  });

  it("attaches to the unfinished task in a new process, beginning where it is", async () => {
    const first = await open();
    const { taskId } = await first.call("count", { n: 1 });
    const task = await tasks.started();
    task.checkpoint(15);
    await first.close();
    const second = await open();
    const call = await second.call("count", { n: 1 });
    expect([call.taskId, call.attached]).toEqual([taskId, true]);
    const events = call.events();
    expect(shown(await until(events, "progress"))).toEqual([15]);
    task.checkpoint(20);
    expect(shown(await until(events, "progress"))).toEqual([20]);
    await events.return?.();
  });

  it("begins another run when told not to resume, under a name that is on the disk before it is sent", async () => {
    const client = await open();
    await client.call("count", {});
    const seen: unknown[] = [];
    server.onRequest = (body) => {
      if (body.params?.name === "count") seen.push(readFile(stateFile, "utf8"));
      return undefined;
    };
    const call = await client.call("count", {}, { resume: false });
    expect(tasks.all).toHaveLength(2);
    expect(call.attached).toBe(false);
    const state = JSON.parse(String(await seen[0]));
    expect(state.pending_runs).toHaveLength(1);
    expect(JSON.parse(await readFile(stateFile, "utf8")).pending_runs).toEqual([]);
  });

  it("does not run twice when the answer to its start is lost", async () => {
    const client = await open();
    await client.tools();
    let cuts = 0;
    server.onRequest = (body) => {
      if (body.params?.name !== "count" || cuts > 0) return undefined;
      cuts += 1;
      setImmediate(() => server.cut());
      return undefined;
    };
    await client.call("count", {}, { resume: false });
    expect([cuts, tasks.all.length]).toEqual([1, 1]);
  });

  it("returns what the server says of arguments that it refuses, as a failed result", async () => {
    const client = await open();
    const result = await (await client.call("count", { refuse: true })).result();
    expect([result.isError, result.status, result.text]).toEqual([true, "failed", "refuse: must not be true"]);
  });

  it("names the tools that exist when asked for another", async () => {
    const client = await open();
    const error = await client.call("cuont", {}).catch((reason: unknown) => reason);
    expect(isClientError(error) && [error.code, error.message.includes("count, get_task")]).toEqual([
      "UNKNOWN_TOOL",
      true,
    ]);
  });
});

describe("a question", () => {
  it("is told once and its answer lets the task go on", async () => {
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    const events = call.events();
    task.ask("sure", "Are you sure?");
    const [question] = (await until(events, "question")).slice(-1);
    expect(question).toMatchObject({
      type: "question",
      question: { key: "sure", message: "Are you sure?", userOnly: false },
    });
    await client.task(task.id).answer("sure", { action: "accept", content: { ok: true } });
    task.complete({});
    const rest = await until(events, "dropped");
    expect(rest.map(({ type }) => type)).not.toContain("question");
    expect(task.answer).toMatchObject({ action: "accept", content: { ok: true } });
  });
});

describe("a task", () => {
  it("is paused, resumed and cancelled by its id in another process", async () => {
    const { taskId = "" } = await (await open()).call("count", {});
    const handle = (await open()).task(taskId);
    expect((await handle.pause()).status).toBe("paused");
    expect(await codeOf(handle.pause())).toBe("TASK_REFUSED");
    expect((await handle.resume()).status).toBe("running");
    expect((await handle.cancel()).status).toBe("cancelled");
    expect((await handle.result()).status).toBe("cancelled");
  });

  it("gives its items page by page", async () => {
    const client = await open();
    const { taskId = "" } = await client.call("count", {});
    const task = await tasks.started();
    for (const number of [1, 2, 3, 4, 5]) task.checkpoint(number);
    const items: unknown[] = [];
    for await (const item of client.task(taskId).items({ pageSize: 2 })) items.push(item);
    expect(items).toEqual([1, 2, 3, 4, 5]);
  });

  it("that is unknown is an error that says so", async () => {
    expect(await codeOf((await open()).task("nobody").info())).toBe("TASK_NOT_FOUND");
    expect(await codeOf((await open()).task("nobody").result())).toBe("TASK_NOT_FOUND");
  });
});

describe("what is unfinished", () => {
  it("is found by the next process with percent and message, and what ended meanwhile moves to the finished", async () => {
    const first = await open();
    await first.call("count", { n: 1 });
    await first.call("count", { n: 2 });
    const [one, two] = [await tasks.started(1), await tasks.started(2)];
    one.checkpoint(15);
    two.complete({});
    await first.close();
    const second = await open();
    const unfinished = await second.unfinished();
    expect(unfinished.map(({ id, percent, message }) => [id, percent, message])).toEqual([
      [one.id, 30, "Processed 15/50 records"],
    ]);
    const { activeTasks, completedTasks } = second.summary();
    expect(activeTasks.map((task) => [task.task_id, task.current_step, task.total_steps])).toEqual([[one.id, 15, 50]]);
    expect(completedTasks.map((task) => [task.task_id, task.status])).toEqual([[two.id, "completed"]]);
  });

  it("forgets a task that its server no longer knows", async () => {
    const first = await open();
    await first.call("count", {});
    tasks.all.length = 0;
    expect(await first.unfinished()).toEqual([]);
    expect(first.summary().activeTasks).toEqual([]);
  });
});

describe("a server", () => {
  it("that is down is an error that says what to start", async () => {
    await server.kill();
    const error = await (await open()).unfinished().catch((reason: unknown) => reason);
    expect(isClientError(error) && [error.code, error.message.includes("Start it first")]).toEqual([
      "SERVER_UNREACHABLE",
      true,
    ]);
    await server.start();
  });

  it("at a wrong path is an error that says what to check", async () => {
    expect(await codeOf((await open(server.url.replace("/mcp", "/nothing"))).tools())).toBe("NOT_AN_MCP_SERVER");
  });

  it("that asks for a token is an error that says so", async () => {
    server.onRequest = () => 401;
    expect(await codeOf((await open()).tools())).toBe("UNAUTHORIZED");
  });

  it("is asked in the session of the last process while it knows that", async () => {
    const first = await open();
    const [before] = await first.sessionInfo();
    await first.close();
    const second = await open();
    const [after] = await second.sessionInfo();
    expect(after).toEqual(before);
    expect(after?.clientId).toBe(second.clientId);
  });

  it("answers a ping, and a dead one is a problem and not an exception", async () => {
    const client = await open();
    expect((await client.ping()).map(({ ok }) => ok)).toEqual([true]);
    await server.kill();
    expect((await (await open()).ping()).map(({ ok }) => ok)).toEqual([false]);
    await server.start();
  });

  it("tells how many tasks it keeps", async () => {
    const client = await open();
    await client.call("count", {});
    expect(await client.stats()).toEqual([{ server: server.url, counts: { running: 1 }, total: 1 }]);
  });
});
