import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { afterwards, startServer, testFolder } from "./server-process.js";
import { type RawCaller, rawCaller } from "./two-owners/raw-caller.js";

const program = fileURLToPath(new URL("./faulty-server.js", import.meta.url));
const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
const done = { structuredContent: { done: 2 } };
const eras = ["2025", "2026"] as const;
type Era = (typeof eras)[number];

/**
 * Where a server is killed behind the last checkpoint; of several points the first that is reached. A note that a result
 * was delivered is never the first.
 */
const points = [
  "engine.checkpoint.after",
  "store.commit.before",
  "store.commit.synced",
  "engine.attempt.ended",
  "result.ready",
  "result.sending",
  "result.sent,store.signal.linked",
];

/** A folder of a store, with the file of a tool's work next to it. */
async function createScene(faultPoints: string, signal: NodeJS.Signals) {
  const folder = await testFolder();
  const [store, file, flag] = [join(folder, "store"), join(folder, "work.txt"), join(folder, "fault.txt")];
  const env = { FAULT_POINTS: faultPoints, FAULT_SIGNAL: signal, FAULT_FLAG: flag };
  return {
    start: () => startServer([store], env, program),
    input: { file },
    work: async () => (await readFile(file, "utf8")).trim().split("\n"),
    async faulted() {
      while (!existsSync(flag)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

function connect(url: string): RawCaller {
  const caller = rawCaller(url, { subject: "caller", owner: `client:local/${clientId}`, headers: {}, clientId });
  afterwards(async () => caller.close());
  return caller;
}

/** What a call is answered with; `undefined` when its connection broke before. */
async function callWork(caller: RawCaller, era: Era, input: JsonObject): Promise<unknown> {
  const params = { name: "work", arguments: input };
  try {
    const { body } = await (era === "2025"
      ? caller.send2025("tools/call", params)
      : caller.send2026("tools/call", params, { plain: true }));
    return resultIn(body);
  } catch {
    return undefined;
  }
}

function resultIn(body: string): unknown {
  const lines = body.split("\n").map((line) => line.replace(/^data: /, ""));
  const messages = lines.filter((line) => line.startsWith("{")).map((line): unknown => JSON.parse(line));
  const response = messages.find((message) => isJsonObject(message) && "result" in message);
  return isJsonObject(response) ? response.result : undefined;
}

const cases = eras.flatMap((era) => points.map((point) => ({ era, point })));

test.each(cases)(
  "G7 $era: after SIGKILL at $point the same call gets the result of the same run",
  async ({ era, point }) => {
    const scene = await createScene(point, "SIGKILL");
    const first = await scene.start();
    const lost = await callWork(connect(first.url), era, scene.input);
    await first.died;
    const second = await scene.start();
    const again = await callWork(connect(second.url), era, scene.input);
    expect(again).toMatchObject(done);
    if (lost !== undefined) expect(lost).toMatchObject(done);
    expect(await scene.work()).toEqual(["unit 1", "unit 2"]);
  },
);

const atTheEnd = "result.ready,store.signal.linked";

test.each(eras)(
  "G7 %s: a caller that gives up while its server stands still gets the result by the same call of the next server",
  async (era) => {
    const scene = await createScene(atTheEnd, "SIGSTOP");
    const first = await scene.start();
    const caller = connect(first.url);
    const lost = callWork(caller, era, scene.input);
    await scene.faulted();
    caller.close();
    expect(await lost).toBeUndefined();
    await first.kill();
    const second = await scene.start();
    expect(await callWork(connect(second.url), era, scene.input)).toMatchObject(done);
    expect(await scene.work()).toEqual(["unit 1", "unit 2"]);
  },
);

test("G7 2025: a call that is cancelled while its result is on the way gets that result when it is repeated", async () => {
  const scene = await createScene(atTheEnd, "SIGSTOP");
  const server = await scene.start();
  const caller = connect(server.url);
  void callWork(caller, "2025", scene.input);
  await scene.faulted();
  const cancelled = caller.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await server.wake();
  expect((await cancelled).status).toBe(202);
  expect(await callWork(connect(server.url), "2025", scene.input)).toMatchObject(done);
  expect(await scene.work()).toEqual(["unit 1", "unit 2"]);
});

test("G7 2026: a caller that closes its connection while its result is on the way gets that result when it calls again", async () => {
  const scene = await createScene(atTheEnd, "SIGSTOP");
  const server = await scene.start();
  const caller = connect(server.url);
  const lost = callWork(caller, "2026", scene.input);
  await scene.faulted();
  caller.close();
  expect(await lost).toBeUndefined();
  await server.wake();
  expect(await callWork(connect(server.url), "2026", scene.input)).toMatchObject(done);
  expect(await scene.work()).toEqual(["unit 1", "unit 2"]);
});

test.each(eras)("G7.5 %s: a result that arrived is delivered, so the same call begins a new run", async (era) => {
  const scene = await createScene("", "SIGKILL");
  const { url } = await scene.start();
  for (const calls of [1, 2, 3]) {
    expect(await callWork(connect(url), era, scene.input)).toMatchObject(done);
    expect(await scene.work()).toHaveLength(2 * calls);
  }
});
