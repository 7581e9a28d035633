export { defineTool } from "./define-tool.js";
export { createEngine } from "./engine/create-engine.js";
export type {
  Clock,
  Engine,
  EngineOptions,
  Followed,
  OpenQuestion,
  OwnedTasks,
  OwnTaskQuery,
  RecoveryCounts,
  StartedTask,
  StartRequest,
  TaskView,
  WaitResult,
} from "./engine/engine.js";
export { ownerTag } from "./engine/engine.js";
export type { ErrorCode, ErrorDetails, InterruptReason } from "./errors.js";
export {
  isResumableError,
  isRetryableError,
  isTaskInterrupted,
  isTerminalError,
  ResumableError,
  RetryableError,
  TaskInterrupted,
  TerminalError,
} from "./errors.js";
export type { Json, JsonObject } from "./json.js";
export { canonicalJson, copyJson, isJsonObject, jsonBytes } from "./json.js";
export type { EngineLimits, StoreQuotas } from "./limits.js";
export { engineDefaults, storeQuotaDefaults, taskDefaults } from "./limits.js";
export type { MemoryStore } from "./memory-store/memory-store.js";
export { createMemoryStore } from "./memory-store/memory-store.js";
export { oppositeOf } from "./opposite-of.js";
export { parseDuration } from "./parse-duration.js";
export { reduceTask } from "./reduce-task.js";
export { rpcCodeOf } from "./rpc-failure.js";
export type { AnySchema, Checked, InferOutput, JsonSchemaValidator, StandardSchema } from "./schema.js";
export { checkValue, isStandardSchema, jsonSchemaOf } from "./schema.js";
export type {
  EventPage,
  Instant,
  ItemPage,
  Lease,
  NewSignal,
  Observer,
  RunnableTask,
  Signal,
  Store,
  StoreCapabilities,
  StoredSession,
  TaskCounts,
  TaskPage,
  TaskQuery,
  TaskSnapshot,
} from "./store.js";
export { checkJournalQuotas, checkStoreQuotas } from "./store-quotas.js";
export type {
  Answer,
  LogLevel,
  NewTask,
  Question,
  TaskEvent,
  TaskEventBody,
  TaskFailure,
} from "./task-event.js";
export { isFinalEvent } from "./task-event.js";
export type { Remembered, TaskRecord, TaskStatus, TaskSummary } from "./task-record.js";
export { finalStatuses, isFinal, openQuestions, summarise } from "./task-record.js";
export {
  desiredOf,
  dueMs,
  isContinuable,
  isDelivered,
  isExpired,
  isOrphan,
  isReusable,
  isRunnable,
  needsNoCaller,
  statusOf,
} from "./task-rules.js";
export type {
  AskRequest,
  AskResult,
  Checkpoint,
  ContentBlock,
  ItemOf,
  OutputOf,
  PlainToolDefinition,
  RetryPolicy,
  StateOf,
  TaskContext,
  TaskLimits,
  Tool,
  ToolDefinition,
} from "./tool.js";
