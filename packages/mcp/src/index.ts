export type { BothErasOptions, EndpointContext, EndpointHandler, EraHandler } from "./both-eras.js";
export { createBothErasHandler } from "./both-eras.js";
export { ConnectionClient } from "./connection-client.js";
export type { ControlTool, ControlToolName } from "./control-tool.js";
export { controlTools, defaultControlTools } from "./control-tools.js";
export type { ModernSetup, ServerDefinition } from "./define-server.js";
export { defineServer } from "./define-server.js";
export { HttpAnswer } from "./http-answer.js";
export { type HttpRequest, ofWebRequest } from "./http-request.js";
export { longToolsText, makeInstructions } from "./instructions.js";
export { isTooDeep, tooDeep } from "./json-depth.js";
export { createJsonSchemaValidator } from "./json-schema-validator.js";
export type { AttachOptions } from "./legacy/attach-tools.js";
export { attachTools } from "./legacy/attach-tools.js";
export { type CrossStreamOptions, withCrossStreamReplay } from "./legacy/cross-stream/with-cross-stream-replay.js";
export type { EventStoreOptions } from "./legacy/event-store.js";
export { createEventStore } from "./legacy/event-store.js";
export type { McpServerLike, RequestExtra } from "./legacy/mcp-server-like.js";
export type { ConnectableServer } from "./legacy/session/live-session.js";
export { outcomeUnknown } from "./legacy/session/lost-answer.js";
export type { CreateServer, SessionContext } from "./legacy/session/session-context.js";
export type {
  FetchContext,
  SessionHandler,
  SessionHandlerOptions,
} from "./legacy/session/session-handler.js";
export { createSessionHandler } from "./legacy/session/session-handler.js";
export type { SessionLimits } from "./legacy/session/session-limits.js";
export { sessionLimits } from "./legacy/session/session-limits.js";
export { type ToolKinds, toolKindsIn } from "./legacy/session/tool-kinds.js";
export type { TaskHandlerExtra } from "./legacy/tasks/task-handler.js";
export { taskHandler } from "./legacy/tasks/task-handler.js";
export type { TaskStoreOptions } from "./legacy/tasks/task-store.js";
export { createTaskStore } from "./legacy/tasks/task-store.js";
export { type Locality, local } from "./locality.js";
export { deliveryMethod, metaKeys } from "./meta-keys.js";
export type { Connection, NodeListener } from "./node-listener.js";
export { listenerOf, nodeListener } from "./node-listener.js";
export type { Relayed } from "./question-relay.js";
export { QuestionRelay, questionId } from "./question-relay.js";
export { randomToken } from "./random-token.js";
export type { StdioEras, StdioErasOptions } from "./stdio-eras.js";
export { serveStdioEras } from "./stdio-eras.js";
export { subjectOf } from "./subject.js";
