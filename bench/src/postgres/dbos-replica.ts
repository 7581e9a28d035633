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
});
