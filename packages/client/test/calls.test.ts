import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { isClientError } from "../src/index.js";
import { codeOf, shown, until, useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();

describe("a call", () => {
  it("comes back with the task's id, tells progress and log in order, and ends with the tool's own result", async () => {
    const { open, tasks } = world();
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

  it("continues through a killed server without gap, repeat or step back, and says that the session changed", async () => {
    const { open, server, tasks } = world();
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

  it("continues in another session when calls that died with their servers fill its own (G11)", async () => {
    const { open, server, tasks } = world();
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    const events = call.events();
    task.checkpoint(5);
    const before = await until(events, "progress");
    server.cutFull();
    task.checkpoint(10);
    task.complete({ counted: 10 });
    const after = await until(events, "dropped");
    expect(shown([...before, ...after])).toEqual([5, 10]);
    expect(after.map(({ type }) => type)).toContain("session_changed");
    expect((await call.result()).structuredContent).toEqual({ counted: 10 });
    expect(tasks.all).toHaveLength(1);
  });

  it("continues in the same session when only its stream breaks", async () => {
    const { open, server, tasks } = world();
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

  it("fails when its server cannot tell how the task is, and the task stays unfinished", async () => {
    const { open, tasks } = world();
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    tasks.fault = "INTERNAL";
    task.checkpoint(5);
    expect(await codeOf(call.result())).toBe("TASK_REFUSED");
    expect(client.summary().activeTasks.map(({ task_id }) => task_id)).toEqual([task.id]);
    tasks.fault = undefined;
    task.complete({ counted: 5 });
    expect(await call.result()).toMatchObject({ status: "completed", structuredContent: { counted: 5 } });
  });

  it("waits while its server's store is away, as while the server is", async () => {
    const { open, tasks } = world();
    const client = await open();
    const call = await client.call("count", {});
    const task = await tasks.started();
    const events = call.events();
    tasks.fault = "STORE_READ_FAILED";
    task.checkpoint(5);
    await until(events, "reconnecting");
    tasks.fault = undefined;
    task.complete({ counted: 5 });
    expect(shown(await until(events, "dropped"))).toEqual([5]);
    expect(await call.result()).toMatchObject({ status: "completed", structuredContent: { counted: 5 } });
  });

  it("continues when another that was followed from the same moment is left", async () => {
    const { open, server, tasks } = world();
    const client = await open();
    const ids = await Promise.all([1, 2].map(async (n) => (await client.call("count", { n })).taskId ?? ""));
    await server.kill();
    const follow = (id = "") => client.task(id).follow();
    const [first, left, stays] = [follow(ids[0]), follow(ids[0]), follow(ids[1])];
    // Once the server was tried again, its tools are requested again.
    for (let attempt = 1; attempt <= 2; attempt += 1) await until(first, "reconnecting");
    await Promise.all([until(left, "reconnecting"), until(stays, "reconnecting")]);
    await left.return?.();
    await server.start();
    for (const task of tasks.all) task.checkpoint(5);
    expect(shown(await until(stays, "progress"))).toEqual([5]);
    await Promise.all([first.return?.(), stays.return?.()]);
  });

  it("joins the unfinished task in a new process, beginning where it is", async () => {
    const { open, tasks } = world();
    const first = await open();
    const { taskId } = await first.call("count", { n: 1 });
    const task = await tasks.started();
    task.checkpoint(15);
    await first.close();
    const second = await open();
    const call = await second.call("count", { n: 1 });
    expect([call.taskId, call.joined]).toEqual([taskId, true]);
    const events = call.events();
    expect(shown(await until(events, "progress"))).toEqual([15]);
    task.checkpoint(20);
    expect(shown(await until(events, "progress"))).toEqual([20]);
    await events.return?.();
  });

  it("begins another run with resume: false, under a name that is on the disk before it is sent", async () => {
    const { open, server, stateFile, tasks } = world();
    const client = await open();
    await client.call("count", {});
    const seen: unknown[] = [];
    server.onRequest = (body) => {
      if (body.params?.name === "count") seen.push(readFile(stateFile, "utf8"));
      return undefined;
    };
    const call = await client.call("count", {}, { resume: false });
    expect(tasks.all).toHaveLength(2);
    expect(call.joined).toBe(false);
    const state = JSON.parse(String(await seen[0]));
    expect(state.pending_runs).toHaveLength(1);
    expect(JSON.parse(await readFile(stateFile, "utf8")).pending_runs).toEqual([]);
  });

  it("does not run twice when the answer to its start is lost", async () => {
    const { open, server, tasks } = world();
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
    const { open } = world();
    const client = await open();
    const result = await (await client.call("count", { refuse: true })).result();
    expect([result.isError, result.status, result.text]).toEqual([true, "failed", "refuse: must not be true"]);
  });

  it("names the tools that exist when asked for another", async () => {
    const { open } = world();
    const client = await open();
    const error = await client.call("cuont", {}).catch((reason: unknown) => reason);
    expect(isClientError(error) && [error.code, error.message.includes("count, wait_for_task")]).toEqual([
      "UNKNOWN_TOOL",
      true,
    ]);
  });
});
