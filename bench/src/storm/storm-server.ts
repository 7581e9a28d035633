import { writeSync } from "node:fs";
import { createServer } from "node:http";
import { createEngine } from "@resumable-mcp/core";
import { createSessionHandler, defineServer } from "@resumable-mcp/mcp";
import { createMcpServer } from "@resumable-mcp/mcp/2025";
import { createFsStore } from "@resumable-mcp/store-fs";
import type { ServerOrder } from "./server-life.js";
import { stormTool, waitingTools } from "./storm-tools.js";

const order: ServerOrder = JSON.parse(process.argv[2] ?? "{}");
const say = (line: string): void => void writeSync(2, `${line}\n`);

let hits = 0;
/** Dies at the named point, in the middle of whatever it was doing, while an attempt runs. */
function observer(point: string): void {
  if (point !== order.point?.name || engine.running.length === 0) return;
  hits += 1;
  if (hits < order.point.hits) return;
  say(`dies at ${point}`);
  process.kill(process.pid, "SIGKILL");
}

const definition = defineServer({
  name: "storm",
  version: "1",
  tools: order.waiting === true ? waitingTools : [stormTool],
});
const engine = createEngine({
  // Small files, so that rotation and compaction happen in every life.
  store: createFsStore({
    directory: order.directory,
    observer,
    limits: { rotateBytes: 12 * 1024, maxJournalFiles: 6, keepJournalFiles: 2, documentPauseMs: 20 },
  }),
  tools: definition.tools,
  observer,
  // Where every life ends in a kill at a named point, a task that is unlucky three times in a row is not a poisonous one.
  limits: {
    ...(order.waiting === true ? {} : { maxCrashesWithoutProgress: 10_000, crashBackoffMs: 10, trialMs: 200 }),
    leaseTtlMs: order.leaseTtlMs,
    heartbeatMs: order.leaseTtlMs / 3,
    pollMs: 200,
  },
  onError: (error) => say(`error ${String(Reflect.get(Object(error), "code"))} ${String(error)}`),
});
const handler = createSessionHandler({
  engine,
  createServer: () => createMcpServer(definition, engine),
  onError: (error) => say(`handler ${String(error)}`),
});
const server = createServer(handler.node);
await engine.open();
server.listen(order.port, "127.0.0.1", () => {
  const address = server.address();
  say(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`);
});
