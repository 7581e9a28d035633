import type { JsonObject } from "@resumable-mcp/core";
import type { Header } from "../http-draft.js";
import { drawAnswer, drawCall, drawShared, type Said, type Scene, showsApps, taskOf } from "./draw-call.js";

const version = "2026-07-28";
const json: readonly Header[] = [
  ["Accept", "application/json, text/event-stream"],
  ["Content-Type", "application/json"],
  ["Mcp-Protocol-Version", version],
];
const withTasks = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {}, ...showsApps } };

/** A request of the 2026 era, with all that it has to say of itself. */
export function request2026(
  scene: Pick<Scene, "caller" | "id">,
  method: string,
  params: JsonObject,
  capabilities: JsonObject = withTasks,
): Said {
  const own = typeof params._meta === "object" && params._meta !== null ? params._meta : {};
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...scene.caller.meta,
    ...own,
  };
  const name = params.name ?? params.taskId ?? params.uri;
  const named: readonly Header[] = typeof name === "string" ? [["Mcp-Name", name]] : [];
  return {
    method: "POST",
    headers: [...json, ["Mcp-Method", method], ...named],
    message: { jsonrpc: "2.0", id: scene.id, method, params: { ...params, _meta } },
  };
}

/** Draws a message of a client of the 2026 era. */
export function draw2026(scene: Scene): Said {
  const { random, known } = scene;
  const plain = { elicitation: {} };
  const taskId = taskOf(scene);
  const listened = random.pick<JsonObject>([
    { taskIds: [taskId] },
    { resourceSubscriptions: [`task://${taskId}`, `task://${taskId}/journal`] },
    { toolsListChanged: true },
    {},
  ]);
  return random.pick<() => Said>([
    () => request2026(scene, "tools/call", drawCall(scene)),
    () => request2026(scene, "tools/call", drawCall(scene)),
    () => request2026(scene, "tools/call", drawCall(scene), plain),
    () => request2026(scene, "tools/call", drawCall(scene), plain),
    () => request2026(scene, "tools/call", drawCall(scene), {}),
    () => {
      const { params, requestState } = known.roundTrips.pick(random, {
        params: { name: "question", arguments: { label: "x" } },
        requestState: "rmcp1.e30.x",
      });
      return request2026(
        scene,
        "tools/call",
        { ...params, requestState, inputResponses: { name: drawAnswer(random) } },
        plain,
      );
    },
    () => request2026(scene, "tasks/update", { taskId, inputResponses: { name: drawAnswer(random) } }),
    () => request2026(scene, ...drawShared(scene)),
    () => request2026(scene, ...drawShared(scene)),
    () => request2026(scene, "server/discover", {}),
    () => request2026(scene, "subscriptions/listen", { notifications: listened }),
    () => request2026(scene, "ping", {}),
  ])();
}
