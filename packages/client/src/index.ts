export {
  isFinal,
  type Json,
  type JsonObject,
  type QuestionAnswer,
  type TaskArtifact,
  type TaskError,
  type TaskJournal,
  type TaskQuestion as Question,
  type TaskStatus,
} from "@resumable-mcp/protocol";
export type {
  CallOptions,
  Client,
  ClientEvent,
  ClientSummary,
  ServerFilter,
  ServerInfo,
  ServerStats,
  ServerTest,
  TaskCall,
  TaskFilter,
  TaskHandle,
  ToolInfo,
} from "./client.js";
export { ClientError, isClientError } from "./client-error.js";
export { findSignIn } from "./credentials/find-sign-in.js";
export type { SignInOptions } from "./credentials/sign-in.js";
export { mayBeStarting } from "./era-2025/classify-failure.js";
export { shownPercent } from "./follow/follow-state.js";
export { type OpenClientOptions, openClient } from "./open-client.js";
export { type HttpServerConfig, type ServerConfig, type StdioServerConfig, serverAddress } from "./server-config.js";
export type { ActiveTask, CompletedTask } from "./state/client-state.js";
export { defaultStateFile } from "./state/state-file.js";
export type { TaskInfo } from "./task-info.js";
export type { ResultBlock, TaskResult, ToolResult } from "./tool-result.js";
