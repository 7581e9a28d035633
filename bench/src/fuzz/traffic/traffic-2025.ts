import type { JsonObject } from "@resumable-mcp/core";
import type { Header } from "../http-draft.js";
import { drawAnswer, drawCall, drawShared, type Said, type Scene, showsApps, taskOf } from "./draw-call.js";

const accept: Header = ["Accept", "application/json, text/event-stream"];
const json: readonly Header[] = [accept, ["Content-Type", "application/json"]];

/** The first message of a session. */
export function initialize2025({ caller, id }: Pick<Scene, "caller" | "id">): Said {
  const clientInfo = { name: "fuzz", version: "1" };
  const capabilities = { elicitation: {}, tasks: {}, extensions: showsApps };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo, _meta: caller.meta };
  return { method: "POST", headers: json, message: { jsonrpc: "2.0", id, method: "initialize", params } };
}

/** A request in a session. */
export function request2025(session: string, id: number | string, method: string, params: JsonObject): Said {
  const named: Header[] = [
    ["Mcp-Session-Id", session],
    ["Mcp-Protocol-Version", "2025-11-25"],
  ];
  return { method: "POST", headers: [...json, ...named], message: { jsonrpc: "2.0", id, method, params }, session };
}

/** Draws a message of a client of the 2025 era over HTTP. */
export function draw2025(scene: Scene): Said {
  const { random, known } = scene;
  const session = known.sessions.pick(random, "x".repeat(32));
  const inSession: readonly Header[] = [["Mcp-Session-Id", session]];
  const stream: readonly Header[] = [["Accept", "text/event-stream"], ...inSession];
  const dice = random.next();
  if (dice < 0.06) return initialize2025(scene);
  if (dice < 0.065) return { method: "DELETE", headers: inSession, session };
  if (dice < 0.08) return { method: "GET", headers: stream, session };
  if (dice < 0.14) {
    const place = known.places.pick(random, { session, eventId: `${"x".repeat(22)}.1` });
    const from = place.eventId.replace(/\d+$/, (text) => String(Math.max(0, Number(text) - random.between(-2, 4))));
    const headers: readonly Header[] = [
      ["Accept", "text/event-stream"],
      ["Mcp-Session-Id", place.session],
      ["Last-Event-ID", from],
    ];
    return { method: "GET", headers, session: place.session };
  }
  const message = drawMessage2025(scene);
  return { method: "POST", headers: [...json, ...inSession, ["Mcp-Protocol-Version", "2025-11-25"]], message, session };
}

/** Draws a message of the 2025 era that needs a session, for any transport. */
export function drawMessage2025(scene: Scene): JsonObject {
  const { random, known, id } = scene;
  const request = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: "2.0", id, method, params });
  const notification = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", method, params });
  const uri = `task://${taskOf(scene)}`;
  return random.pick<() => JsonObject>([
    () => request("tools/call", drawCall(scene)),
    () => request("tools/call", drawCall(scene)),
    () => request("tools/call", drawCall(scene)),
    () => request("tools/call", drawCall(scene)),
    () =>
      request("tools/call", {
        ...drawCall(scene),
        task: random.pick<JsonObject>([{}, { ttl: 1_000 }, { ttl: 60_000 }]),
      }),
    () => request(...drawShared(scene)),
    () => request(...drawShared(scene)),
    () => request("ping", {}),
    () => request("tasks/list", { cursor: known.cursors.pick(random, "none") }),
    () => request("tasks/list", {}),
    () => request("tasks/result", { taskId: taskOf(scene) }),
    () => request("logging/setLevel", { level: random.pick(["debug", "info", "error"]) }),
    () => request(random.pick(["resources/subscribe", "resources/unsubscribe"]), { uri }),
    () => notification("notifications/initialized"),
    () => notification("notifications/cancelled", { requestId: known.requestIds.pick(random, 0), reason: "fuzz" }),
    () => notification("notifications/progress", { progressToken: "p1", progress: 1 }),
    () => notification("notifications/roots/list_changed"),
    () => ({ jsonrpc: "2.0", id: known.questions.pick(random, "ask:none:name"), result: drawAnswer(random) }),
    () => ({ jsonrpc: "2.0", id: known.questions.pick(random, 7), error: { code: -32_000, message: "no" } }),
  ])();
}
