import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createFsStore } from "@resumable-mcp/store-fs";
import { type Program, start } from "../program.js";
import { Demonstration, type SuiteRun } from "../run-suite.js";
import { type DemoServer, demoPrograms, startDemoServer } from "../servers.js";

/** Sends requests of the collection to a server, all if none is named, by the runner of the collection's own makers. */
export function sendCollection(url: string, requests: readonly string[] = [], flags: readonly string[] = []): Program {
  const { newman, collection, environment } = demoPrograms;
  const environmentOf = ["--environment", environment, "--env-var", `base_url=${url}`];
  const options = ["--timeout-request", "60000", "--color", "off", "--disable-unicode"];
  const chosen = requests.flatMap((name) => ["--folder", name]);
  return start(process.execPath, [newman, "run", collection, ...environmentOf, ...options, ...chosen, ...flags]);
}

/** The walk of the collection, in each way in which its call can be dropped. */
export function runPostmanCollection(): Promise<SuiteRun> {
  const check = new Demonstration("seed: the Postman collection");
  return check.run(async () => {
    for (const [way, drop] of Object.entries(drops)) await walk(check, way, drop);
    await walkThroughProxy(check);
  });
}

/** How a call is dropped of which the client has seen nothing. */
interface Drop {
  readonly flags?: readonly string[];
  run(server: DemoServer, runner: Program): Promise<void>;
}

const drops: Readonly<Record<string, Drop>> = {
  // Shorter than the tool takes.
  "the client's time-out": { flags: ["--timeout-request", "3000"], run: async () => {} },
  "an interrupt of the client": { run: (_server, runner) => runner.stop("SIGINT") },
  "a kill of the server": {
    async run(server, runner) {
      await server.kill();
      await runner.ended;
      await server.start();
    },
  },
};
const ofCall = "4. tools/call get_forecast, and drop";
const beforeCall = ["1. initialize", "2. notifications/initialized", "3. tools/list"];
const afterCall = ["5. resume with Last-Event-ID", "6. close the session", "7. the session has ended"];

/** The requests before the call, the call, and those after it, each with a client of its own, as after a drop. */
async function walk(check: Demonstration, way: string, drop: Drop): Promise<void> {
  const server = await startDemoServer(demoPrograms.tools, { RESUMABLE_MCP_CROSS_STREAM_REPLAY: "true" });
  const store = createFsStore({ directory: join(server.folder, "store") });
  const environment = join(server.folder, "environment.json");
  try {
    await sendCollection(server.url, beforeCall, ["--export-environment", environment]).succeeded();
    const calling = sendCollection(server.url, [ofCall], ["--environment", environment, ...(drop.flags ?? [])]);
    while ((await store.listTasks({ limit: 1 })).tasks.length === 0) await sleep(lookEveryMs);
    await drop.run(server, calling);
    const dropped = await calling.ended;
    check.holds(`${way} drops the call`, dropped !== 0, calling.stdout());
    const coming = sendCollection(server.url, afterCall, ["--environment", environment]);
    const isComplete = (await coming.ended) === 0 && coming.stdout().includes(answered);
    check.holds(`after ${way} the answer arrives`, isComplete, coming.stdout());
    const { tasks } = await store.listTasks({ limit: 2 });
    check.equal(`after ${way} there is one task`, tasks.length, 1);
  } finally {
    await store.close();
    await server.close();
  }
}

const answered = "the answer to the dropped call arrives";
const lookEveryMs = 20;

/** The server is killed as soon as a call's first event has passed, and started again. */
async function walkThroughProxy(check: Demonstration): Promise<void> {
  const server = await startDemoServer();
  const proxy = await startDroppingProxy(server.url, async () => {
    await server.kill();
    await server.start();
  });
  try {
    const output = await sendCollection(proxy.url).succeeded();
    check.holds(answered, output.includes(answered), output);
    check.equal("the tool is called once", proxy.seen.filter((request) => request.includes('"tools/call"')).length, 1);
  } finally {
    await proxy.close();
    await server.close();
  }
}

/** A connection to a server that breaks once, in the middle of a call. */
export interface DroppingProxy {
  readonly url: string;
  /** Requests that arrived, as `METHOD body`. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/**
 * Stands between a client and a server. The first stream that answers a `tools/call` ends after its first event; what
 * `onDrop` then does is done before the next request passes.
 */
export async function startDroppingProxy(target: string, onDrop: () => Promise<void>): Promise<DroppingProxy> {
  const seen: string[] = [];
  let dropped: Promise<void> | undefined;
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    seen.push(`${incoming.method} ${body}`);
    await dropped;
    const onward = request(target, { method: incoming.method, headers: incoming.headers });
    onward.end(body);
    const [answer] = (await once(onward, "response")) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (dropped !== undefined || !body.includes('"tools/call"')) return void answer.pipe(outgoing);
    let passed = "";
    for await (const bytes of answer) {
      outgoing.write(bytes);
      passed += String(bytes);
      if (/^id: .+\n/m.test(passed) && passed.includes("\n\n")) break;
    }
    dropped = onDrop();
    outgoing.end();
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
