import { setTimeout as delay } from "node:timers/promises";
import { createEngine, defineTool, RetryableError } from "@resumable-mcp/core";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { z } from "zod";
import { Moments, pauseMs, placeOfReplica, serveOrders, sharedNow, stepResult } from "./replica.js";

/** A process with an engine, which takes all tasks that a round has at once. */
const maxRunning = 128;

const { url } = placeOfReplica();
const moments = new Moments();

const steps = defineTool({
  name: "steps",
  description: "Makes steps.",
  input: z.object({ each: z.number(), run: z.string() }),
  async *run({ each }, task) {
    yield* [];
    for (let line = 0; line < each; line++) await task.step(`step-${line}`, () => stepResult(line));
    return each;
  },
});

const walk = defineTool({
  name: "walk",
  description: "Makes steps until its process dies.",
  input: z.object({ run: z.string() }),
  async *run(_input, task) {
    yield* [];
    for (let line = 0; ; line++) {
      await task.step(`step-${line}`, async () => {
        await delay(pauseMs);
        return stepResult(line);
      });
    }
  },
});

const ask = defineTool({
  name: "ask",
  description: "Asks.",
  input: z.object({ run: z.string() }),
  async *run(_input, task) {
    yield* [];
    for (let question = 0; ; question++) {
      await task.ask(`question-${question}`, { message: "Continue?", schema: z.object({ yes: z.boolean() }) });
      moments.note(`${task.id}-${question}`);
    }
  },
});

/** As docs/cookbook/many-calls.md has it. */
const book = defineTool({
  name: "book",
  description: "Books each order of a shop.",
  input: z.object({ shop: z.url(), run: z.string() }),
  async run({ shop }, task) {
    const call = async (path: string, options: RequestInit) => {
      const response = await fetch(new URL(path, shop), options);
      if (response.status === 429) throw new RetryableError("Too many calls.", { delay: "1s" });
      if (!response.ok) throw new Error(`The shop answered ${response.status}.`);
      return await response.text();
    };
    const orders = await task.step("orders", async ({ signal }) => (await call("orders", { signal })).split("\n"));
    const bookOne = (order: string, { signal, idempotencyKey }: { signal: AbortSignal; idempotencyKey: string }) =>
      call(`orders/${order}`, { method: "POST", headers: { "idempotency-key": idempotencyKey }, signal });
    return await task.map("book", orders, bookOne, { concurrency: 100, retry: { maxAttempts: 20 }, timeout: "30s" });
  },
});

const store = createPostgresStore({ connectionString: url });
const engine = createEngine({
  store,
  tools: [steps, walk, ask, book],
  limits: { maxRunning, maxRunningPerOwner: maxRunning },
  observer: (point, taskId) => {
    if (point === "engine.attempt.ended") moments.note(`end of ${taskId}`);
  },
});
const tasks = engine.forOwner("local:bench");
let runs = 0;
const start = async (tool: string, input: object, detached: boolean) => {
  runs += 1;
  const { record } = await tasks.start({ tool, input: { ...input, run: `${process.pid}-${runs}` }, detached });
  return record.id;
};

await engine.open();
serveOrders({
  async run({ tasks: count, each }) {
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: count }, async () => moments.at(`end of ${await start("steps", { each }, true)}`)),
    );
    return performance.now() - begun;
  },
  begin: (count) => Promise.all(Array.from({ length: count }, (_, index) => start("walk", {}, index < count / 2))),
  async follow(ids) {
    for (const id of ids) void tasks.wait(id);
  },
  ask: () => start("ask", {}, true),
  async asked({ id, question }) {
    const isAsked = async () => (await tasks.get(id)).questions.some(({ key }) => key === `question-${question}`);
    while (!(await isAsked())) await delay(1);
  },
  async answer({ id, question }) {
    const at = sharedNow();
    await tasks.answer(id, `question-${question}`, { action: "accept", content: { yes: true } });
    return at;
  },
  heard: ({ id, question }) => moments.at(`${id}-${question}`),
  book: (shop) => start("book", { shop }, true),
  async booked(id) {
    const { record } = await tasks.wait(id);
    if (record.status !== "completed") throw new Error(`The task is ${record.status}: ${record.error?.message}`);
  },
});
