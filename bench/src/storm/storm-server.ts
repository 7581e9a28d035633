import { createServer } from "node:http";
import { createEngine } from "@resumable-mcp/core";
import { createSessionHandler, defineServer } from "@resumable-mcp/mcp";
import { createFsStore } from "@resumable-mcp/store-fs";
import { dieAt, sessionLost, tell, tellError, tellNote } from "../kills/in-life.js";
import type { LifeOrder } from "../kills/life.js";
import { stormTool, waitingTools } from "./storm-tools.js";

/** With waiting tasks it serves their tools, with the limits of every engine. */
const order: LifeOrder & { readonly waiting?: true } = JSON.parse(process.argv[2] ?? "{}");
const isWaiting = order.waiting === true;
const observer = dieAt(order.point);
const definition = defineServer({
  name: "storm",
  version: "1",
  tools: isWaiting ? waitingTools(tellNote) : [stormTool(tellNote)],
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
    ...(isWaiting ? {} : { maxCrashesWithoutProgress: 10_000, crashBackoffMs: 10, trialMs: 200 }),
    leaseTtlMs: order.leaseTtlMs,
    heartbeatMs: order.leaseTtlMs / 3,
    pollMs: 200,
  },
  onError: tellError,
});
const sessions = createSessionHandler({ engine, definition, onError: tellError });
/** Sessions that their clients ended: what a client had sent before may be read after its DELETE. */
const ended = new Set<unknown>();
const server = createServer((request, response) => {
  const { method, headers } = request;
  const session = headers["mcp-session-id"];
  if (method === "DELETE") ended.add(session);
  response.once("finish", () => {
    if (response.statusCode === 404 && !ended.has(session)) tellError(`${sessionLost}: ${method} of ${session}`);
  });
  sessions.node(request, response);
});
process.once("SIGTERM", async () => {
  await engine.drain();
  await sessions.close();
  server.close();
  server.closeAllConnections();
  await engine.close();
  process.exit();
});
await engine.open();
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") tell({ kind: "ready", port: address?.port });
});
