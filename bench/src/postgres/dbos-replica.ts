import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Moments, pauseMs, placeOfReplica, serveOrders, sharedNow, stepResult } from "./replica.js";

const { url, name } = placeOfReplica();
const moments = new Moments();

const steps = DBOS.registerWorkflow(
  async (each: number) => {
    for (let line = 0; line < each; line++) await DBOS.runStep(async () => stepResult(line), { name: "step" });
    return each;
  },
  { name: "steps" },
);

const walk = DBOS.registerWorkflow(
  async () => {
    for (let line = 0; ; line++) {
      await DBOS.runStep(
        async () => {
          await delay(pauseMs);
          return stepResult(line);
        },
        { name: "step" },
      );
    }
  },
  { name: "walk" },
);

const topicOf = (question: number) => `question-${question}`;
const ask = DBOS.registerWorkflow(
  async () => {
    const id = DBOS.workflowID;
    for (let question = 0; ; question++) {
      moments.note(`asked ${id}-${question}`);
      if ((await DBOS.recv(topicOf(question), 3_600)) === null) return;
      moments.note(`heard ${id}-${question}`);
    }
  },
  { name: "ask" },
);

/** As docs/coming-from/dbos.md has it. */
const book = DBOS.registerWorkflow(
  async (shop: string) => {
    const call = async (path: string, options: RequestInit = {}) => {
      const response = await fetch(new URL(path, shop), options);
      if (!response.ok) throw new Error(`The shop answered ${response.status}.`);
      return response.text();
    };
    const orders = await DBOS.runStep(async () => (await call("orders")).split("\n"), { name: "orders" });
    const retry = { retriesAllowed: true, maxAttempts: 20, intervalSeconds: 1, backoffRate: 1.5 };
    const id = DBOS.workflowID;
    const bookOne = (order: string) =>
      call(`orders/${order}`, { method: "POST", headers: { "idempotency-key": `${id}-${order}` } });
    for (let at = 0; at < orders.length; at += 100) {
      const part = orders.slice(at, at + 100);
      await Promise.all(part.map((order) => DBOS.runStep(() => bookOne(order), { name: order, ...retry })));
    }
  },
  { name: "book" },
);

// Each replica has a name of its own: at its start, one with the default name also takes what others under that name still run.
DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: url,
  logLevel: "error",
  executorID: name,
  applicationVersion: "1",
});
await DBOS.launch();
serveOrders({
  async run({ tasks, each }) {
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: tasks }, async () => {
        const handle = await DBOS.startWorkflow(steps)(each);
        await handle.getResult();
      }),
    );
    return performance.now() - begun;
  },
  begin: (tasks) =>
    Promise.all(Array.from({ length: tasks }, async () => (await DBOS.startWorkflow(walk)()).workflowID)),
  async follow(ids) {
    for (const id of ids) void DBOS.retrieveWorkflow(id).getResult();
  },
  ask: async () => (await DBOS.startWorkflow(ask)()).workflowID,
  async asked({ id, question }) {
    await moments.at(`asked ${id}-${question}`);
  },
  async answer({ id, question }) {
    const at = sharedNow();
    await DBOS.send(id, true, topicOf(question));
    return at;
  },
  heard: ({ id, question }) => moments.at(`heard ${id}-${question}`),
  book: async (shop) => (await DBOS.startWorkflow(book)(shop)).workflowID,
  booked: (id) => DBOS.retrieveWorkflow<void>(id).getResult(),
});
