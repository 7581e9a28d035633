export {
  isFinal,
  type JournalEvent,
  type Json,
  type JsonObject,
  type QuestionAnswer,
  type TaskError,
  type TaskJournal,
  type TaskQuestion as Question,
  type TaskStatus,
  unfinishedStatuses,
} from "@resumable-mcp/protocol";
export type {
  CallOptions,
  Client,
  ClientEvent,
  ClientSummary,
  PingResult,
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
export type { ConnectionState } from "./connection/connection-state.js";
export type { SignInOptions } from "./credentials/sign-in.js";
export { mayBeStarting } from "./era-2025/classify-failure.js";
export { shownPercent } from "./follow/follow-state.js";
export { type ClientLimits, defaultLimits } from "./limits.js";
export { type OpenClientOptions, openClient } from "./open-client.js";
export {
  type HttpServerConfig,
  type ServerConfig,
  type StdioServerConfig,
  serverAddress,
} from "./server-config.js";
export type { ActiveTask, CompletedTask } from "./state/client-state.js";
export { defaultStateFile } from "./state/state-file.js";
export type { TaskInfo } from "./task-info.js";
export type { ResultBlock, TaskResult, ToolResult } from "./tool-result.js";
