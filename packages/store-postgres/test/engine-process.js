// A process with an engine on a PostgreSQL store, which starts and answers tasks as its parent says. It runs what was built.
import { createEngine, defineTool } from "@resumable-mcp/core";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { z } from "zod";

const countTo = defineTool({
  name: "count_to",
  description: "Counts.",
  input: z.object({ n: z.number(), run: z.number() }),
  state: { i: 0 },
  async *run({ n }, task) {
    for (let { i } = task.state; i < n; i += 1) yield { progress: i + 1, total: n, state: { i: i + 1 }, append: [i] };
    return { counted: n };
  },
});

const askName = defineTool({
  name: "ask_name",
  description: "Asks.",
  input: z.object({}),
  state: {},
  async *run(_, task) {
    yield { progress: 0 };
    const answer = await task.ask("name", { message: "Who?", schema: z.object({ name: z.string() }) });
    return { answer: answer.action === "accept" ? answer.content.name : answer.action };
  },
});

const work = (name, limits) =>
  defineTool({
    name,
    description: "Works for a moment.",
    input: z.object({ n: z.number(), ms: z.number() }),
    durable: true,
    // What was cut off is done sooner.
    run: ({ n, ms }, task) => new Promise((resolve) => setTimeout(() => resolve(n), task.attempt === 1 ? ms : 40)),
    ...limits,
  });
const workers = [
  work("three_at_once", { maxRunningInStore: 3 }),
  work("three_in_an_hour", { rate: { limit: 3, per: "1h" } }),
];

const { engineLimits, ...options } = JSON.parse(process.argv[2]);
const store = createPostgresStore(options);
const limits = { leaseTtlMs: 2_000, heartbeatMs: 300, pollMs: 200, maxRunningPerOwner: 32, ...engineLimits };
const engine = createEngine({ store, tools: [countTo, askName, ...workers], limits });
const tasks = engine.forOwner("client:a");

const does = {
  start: (request) =>
    tasks.start(request).then(
      ({ record }) => record.id,
      ({ code }) => code,
    ),
  answer: async ({ id, key, answer }) => {
    await tasks.answer(id, key, answer);
  },
  open: () => engine.open(),
  waits: async (id) => (await tasks.get(id)).waitsFor?.limit,
};

process.on("message", async ({ call, what, value }) => {
  const result = await does[what](value);
  process.send({ call, result });
});
process.on("disconnect", () => process.exit());
