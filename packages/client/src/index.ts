export { isFinal, type JsonObject } from "@resumable-mcp/protocol";
export type {
  CallOptions,
  Client,
  ClientEvent,
  ClientSummary,
  ServerFilter,
  ServerInfo,
  ServerStats,
  ServerTest,
  TaskHandle,
  ToolInfo,
} from "./client.js";
export { ClientError, isClientError } from "./client-error.js";
export { findSignIn } from "./credentials/find-sign-in.js";
export { mayBeStarting } from "./era-2025/classify-failure.js";
export { shownPercent } from "./follow/follow-state.js";
export { type OpenClientOptions, openClient } from "./open-client.js";
export { type ServerConfig, serverAddress } from "./server-config.js";
export type { ActiveTask, CompletedTask } from "./state/client-state.js";
export { defaultStateFile } from "./state/state-file.js";
export type { TaskInfo } from "./task-info.js";
export type { ResultBlock, TaskResult } from "./tool-result.js";
