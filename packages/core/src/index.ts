export type { Clock } from "./engine/clock.js";
export { createEngine } from "./engine/create-engine.js";
export type {
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
export type { MemoryStore } from "./store/memory/memory-store.js";
export { createMemoryStore } from "./store/memory/memory-store.js";
export type {
  Documents,
  EventPage,
  Instant,
  ItemPage,
  Lease,
  Observer,
  RunnableTask,
  Store,
  StoreCapabilities,
  StoredDocument,
  TaskCounts,
  TaskPage,
  TaskQuery,
} from "./store/store.js";
export { checkJournalQuotas, checkStoreQuotas } from "./store/store-quotas.js";
export { reduceTask } from "./task/reduce-task.js";
export type {
  Answer,
  LogLevel,
  NewTask,
  Question,
  TaskEvent,
  TaskEventBody,
  TaskFailure,
} from "./task/task-event.js";
export { isFinalEvent, rpcCodeOf } from "./task/task-event.js";
export type { FinalStatus, Remembered, TaskRecord, TaskStatus, TaskSummary } from "./task/task-record.js";
export { finalStatuses, isFinal, openQuestions, summarise, unfinishedStatuses } from "./task/task-record.js";
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
} from "./task/task-rules.js";
export type { NewSignal, Signal, TaskSnapshot } from "./task/task-snapshot.js";
export { oppositeOf } from "./task/task-snapshot.js";
export { defineTool } from "./tool/define-tool.js";
export { parseDuration } from "./tool/parse-duration.js";
export type { AnySchema, Checked, InferOutput, JsonSchemaValidator, StandardSchema } from "./tool/schema.js";
export { checkValue, isStandardSchema, jsonSchemaOf } from "./tool/schema.js";
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
} from "./tool/tool.js";
