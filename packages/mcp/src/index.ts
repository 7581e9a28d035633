export { createJsonSchemaValidator } from "./call/json-schema-validator.js";
export { type ControlTool, controlTools, makeInstructions } from "./control/control-tools.js";
export type { PanelOptions } from "./control/panel.js";
export type { PanelPage, PanelServer, ServerDefinition, Setup2026 } from "./define-server.js";
export { defineServer } from "./define-server.js";
export { type CrossStreamOptions, withCrossStreamReplay } from "./era-2025/cross-stream/with-cross-stream-replay.js";
export type { EventStoreOptions } from "./era-2025/event-store/event-store.js";
export { createEventStore } from "./era-2025/event-store/event-store.js";
export type { ConnectableServer } from "./era-2025/other-server.js";
export type { RegisterOptions } from "./era-2025/register-tools.js";
export { registerTools } from "./era-2025/register-tools.js";
export type { RequestExtra, Server2025 } from "./era-2025/server-2025.js";
export type {
  CreateServer,
  SessionContext,
  SessionHandlerOptions,
} from "./era-2025/session/registry/session-registry.js";
export { createSessionHandler } from "./era-2025/session/session-handler.js";
export type { TaskHandlerExtra, TaskStoreOptions } from "./era-2025/tasks/task-store.js";
export { createTaskStore, taskHandler } from "./era-2025/tasks/task-store.js";
export type { BothErasOptions, EraHandler } from "./http/both-eras.js";
export { createBothErasHandler } from "./http/both-eras.js";
export { HttpAnswer } from "./http/http-answer.js";
export type { HttpRequest, RequestContext } from "./http/http-request.js";
export type { HttpHandler, NodeListener, RemotePeer } from "./http/node-listener.js";
export { nodeListener } from "./http/node-listener.js";
export type { SessionLimits } from "./limits.js";
export { sessionLimits } from "./limits.js";
export { type Locality, local, ownerOfToken } from "./owner/owner.js";
export type { CallerRights } from "./owner/scopes.js";
