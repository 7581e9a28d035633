export type {
  CallOptions,
  Client,
  ClientSummary,
  PingResult,
  QuestionAnswer,
  ServerChange,
  ServerInfo,
  ServerOptions,
  ServerStats,
  ServerTest,
  SessionInfo,
  TaskCall,
  TaskFilter,
  TaskHandle,
  ToolInfo,
} from "./client.js";
export { ClientError, type ClientErrorCode, isClientError } from "./client-error.js";
export type { ClientEvent } from "./client-event.js";
export type { ConnectionState } from "./connection/connection-state.js";
export type { SignInOptions } from "./credentials/sign-in.js";
export { percentOf } from "./follow/follow-state.js";
export type { Json, JsonObject } from "./json.js";
export { type ClientLimits, defaultLimits } from "./limits.js";
export { type OpenClientOptions, openClient } from "./open-client.js";
export {
  type HttpServerConfig,
  type ServerConfig,
  type StdioServerConfig,
  serverAddress,
} from "./servers/server-config.js";
export type { ActiveTask, CompletedTask } from "./state/client-state.js";
export { defaultStateFile } from "./state/default-state-file.js";
export { type OpenStreamCallOptions, openStreamCall, type StreamCall } from "./stream-call/open-stream-call.js";
export {
  isFinal,
  type Question,
  type TaskError,
  type TaskInfo,
  type TaskStatus,
  unfinishedStatuses,
} from "./tasks/task-info.js";
export type { JournalEvent, TaskJournal } from "./tasks/task-journal.js";
export type { ContentBlock, TaskResult, ToolResult } from "./tasks/tool-result.js";
