import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { afterwards, cli, testFolder } from "./stdio-host.js";

const program = fileURLToPath(new URL("./faulty-server.js", import.meta.url));
const done = { structuredContent: { done: 2 } };
const oneRun = ["unit 1", "unit 2"];
const eras = ["2025", "2026"] as const;
type Era = (typeof eras)[number];
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Where a server is killed behind the last checkpoint; of several points the first that is reached. */
const points = [
  "engine.checkpoint.after",
  "store.commit.synced",
  "engine.attempt.ended",
  "result.ready",
  "result.sending",
  "result.sent,store.signal.linked",
];

/** A host at the other end of a process's stdin and stdout, which speaks one era. */
async function createScene(era: Era, faultPoints = "") {
  const folder = await testFolder();
  const [store, file] = [join(folder, "store"), join(folder, "work.txt")];
  const fault = { FAULT_POINTS: faultPoints, FAULT_SIGNAL: "SIGKILL", FAULT_FLAG: join(folder, "fault.txt") };
  const server = [program, store];
  const supervised = [cli, "--command", `'${process.execPath}' '${program}' '${store}'`];
  const params = { name: "work", arguments: { file }, ...(era === "2026" ? { _meta: envelope } : {}) };
  const open = async (args: readonly string[], faultParent = "") => {
    const host = connect(args, { ...fault, FAULT_PARENT: faultParent });
    if (era === "2025") await host.initialize();
    return { ...host, call: (id: number) => host.request(id, "tools/call", params) };
  };
  return {
    host: () => open(server),
    supervisedHost: (killed: "server" | "both" = "server") => open(supervised, killed === "both" ? "yes" : ""),
    work: async () => (await readFile(file, "utf8")).trim().split("\n"),
  };
}

function connect(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const closed = once(child, "close");
  // A supervisor takes its server along.
  afterwards(async () => {
    child.stdin.end();
    await closed;
  });
  child.stdin.on("error", () => {});
  const waiting = new Map<unknown, (result: unknown) => void>();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    const message: unknown = JSON.parse(line);
    if (isJsonObject(message) && message.method === undefined) waiting.get(message.id)?.(message.result);
  });
  // What a dead process has not answered it never will.
  lines.on("close", () => {
    for (const resolve of waiting.values()) resolve(undefined);
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (id: number, method: string, params: JsonObject) =>
    new Promise<unknown>((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  return {
    request,
    cancel: (requestId: number) => send({ method: "notifications/cancelled", params: { requestId } }),
    async initialize() {
      const clientInfo = { name: "raw", version: "1" };
      await request(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
      send({ method: "notifications/initialized" });
    },
  };
}

const cases = eras.flatMap((era) => points.map((point) => ({ era, point })));

test.each(cases)(
  "G7 $era: after SIGKILL at $point the same call gets the result of the same run, in the next process",
  async ({ era, point }) => {
    const scene = await createScene(era, point);
    const lost = await (await scene.host()).call(1);
    expect(await (await scene.host()).call(1)).toMatchObject(done);
    if (lost !== undefined) expect(lost).toMatchObject(done);
    expect(await scene.work()).toEqual(oneRun);
  },
);

test.each(cases)(
  "G7 $era: a supervised server is killed at $point, and the call in flight gets the result of the same run",
  async ({ era, point }) => {
    const scene = await createScene(era, point);
    const host = await scene.supervisedHost();
    expect(await host.call(1)).toMatchObject(done);
    expect(await scene.work()).toEqual(oneRun);
    // The next server receives what the dead one could not record: the result was delivered.
    expect(await host.call(2)).toMatchObject(done);
    expect(await scene.work()).toEqual([...oneRun, ...oneRun]);
  },
);

test.each(cases)(
  "G7 $era: a supervisor and its server are killed at $point, and the same call gets the result of the same run",
  async ({ era, point }) => {
    const scene = await createScene(era, point);
    const lost = await (await scene.supervisedHost("both")).call(1);
    expect(await (await scene.supervisedHost()).call(1)).toMatchObject(done);
    if (lost !== undefined) expect(lost).toMatchObject(done);
    expect(await scene.work()).toEqual(oneRun);
  },
);

async function cancelAfterResult(era: Era, open: "host" | "supervisedHost") {
  const scene = await createScene(era);
  const host = await scene[open]();
  expect(await host.call(1)).toMatchObject(done);
  host.cancel(1);
  return { scene, host, again: await host.call(2) };
}

const isReused = (result: unknown): boolean => JSON.stringify(result).includes('"resumable-mcp/reused":true');

test.each(eras)(
  "G7 %s: a call that is cancelled after its result was sent gets it again, and one that is not begins a new run",
  async (era) => {
    for (const open of ["host", "supervisedHost"] as const) {
      let { scene, host, again } = await cancelAfterResult(era, open);
      // A cancellation counts for 50 ms: on a busy machine it may come later, and the next one is in time.
      while (!isReused(again)) ({ scene, host, again } = await cancelAfterResult(era, open));
      expect(again).toMatchObject(done);
      expect(await scene.work()).toEqual(oneRun);
      expect(await host.call(3)).toMatchObject(done);
      expect(await scene.work()).toEqual([...oneRun, ...oneRun]);
    }
  },
);
