import { describe, expect, it } from "vitest";
import { codeOf, until, useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();

describe("a task", () => {
  it("is paused, resumed and cancelled by its id in another process", async () => {
    const { open } = world();
    const { taskId = "" } = await (await open()).call("count", {});
    const handle = (await open()).task(taskId);
    expect((await handle.pause()).status).toBe("paused");
    expect(await codeOf(handle.pause())).toBe("TASK_REFUSED");
    expect((await handle.resume()).status).toBe("running");
    expect((await handle.cancel()).status).toBe("cancelled");
    expect((await handle.result()).status).toBe("cancelled");
  });

  it("gives its items page by page", async () => {
    const { open, tasks } = world();
    const client = await open();
    const { taskId = "" } = await client.call("count", {});
    const task = await tasks.started();
    for (const number of [1, 2, 3, 4, 5]) task.checkpoint(number);
    const items: unknown[] = [];
    for await (const item of client.task(taskId).items({ pageSize: 2 })) items.push(item);
    expect(items).toEqual([1, 2, 3, 4, 5]);
  });

  it.each(["STORE_READ_FAILED", "STORE_WRITE_FAILED", "STORE_MISSING", "STORE_CLOSED"])(
    "is asked again while its server answers %s",
    async (code) => {
      const { open, server, tasks } = world();
      const { taskId = "" } = await (await open()).call("count", {});
      const handle = (await open()).task(taskId);
      let requests = 0;
      server.onRequest = ({ params }) => {
        if (params?.name === "cancel_task") requests += 1;
        tasks.fault = requests < 3 ? code : undefined;
        return undefined;
      };
      expect((await handle.cancel()).status).toBe("cancelled");
      expect(requests).toBe(3);
    },
  );

  it("that is unknown is an error that says so", async () => {
    const { open } = world();
    expect(await codeOf((await open()).task("no-task").info())).toBe("TASK_NOT_FOUND");
    expect(await codeOf((await open()).task("no-task").result())).toBe("TASK_NOT_FOUND");
  });
});

describe("a question", () => {
  it("is shown once and its answer continues the task", async () => {
    const { open, tasks } = world();
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

describe("a task that is forgotten", () => {
  it("is on no list of this client any more, continues, and comes back with the same call", async () => {
    const { open, tasks } = world();
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
    const { open, tasks } = world();
    const client = await open();
    const { taskId = "" } = await client.call("count", { to: 50 });
    (await tasks.started()).checkpoint(5);
    expect(await client.task(taskId).journal()).toEqual({
      lastSeq: 1,
      events: [{ seq: 1, type: "checkpoint", data: { progress: 5, total: 50 } }],
    });
  });

  it("is absent where a server offers no resources", async () => {
    const { open, server } = world();
    const client = await open();
    const { taskId = "" } = await client.call("count", { to: 50 });
    server.onRequest = ({ method, params }) => {
      if (method === "resources/read" && params !== undefined) Object.assign(params, { uri: "task://no-task/journal" });
      return undefined;
    };
    expect(await client.task(taskId).journal()).toBeUndefined();
  });
});

describe("what is unfinished", () => {
  it("is found by the next process with percent and message, and what ended meanwhile moves to the finished", async () => {
    const { open, tasks } = world();
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
    const { open, tasks } = world();
    const first = await open();
    await first.call("count", {});
    tasks.all.length = 0;
    expect(await first.unfinished()).toEqual([]);
    expect(first.summary().activeTasks).toEqual([]);
  });
});
