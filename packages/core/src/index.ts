export type { Clock } from "./engine/clock.js";
export { parseDuration } from "./engine/clock.js";
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
export { isJsonObject } from "./json.js";
export type { EngineLimits } from "./limits.js";
export { engineDefaults, taskDefaults } from "./limits.js";
export type { MemoryStore } from "./store/memory/memory-store.js";
export { createMemoryStore } from "./store/memory/memory-store.js";
export type { Documents, ItemPage, Observer, Store, TaskCounts, TaskPage } from "./store/store.js";
export type { Answer, LogLevel, Question, TaskEvent, TaskFailure } from "./task/task-event.js";
export { rpcCodeOf } from "./task/task-event.js";
export type { FinalStatus, TaskRecord, TaskStatus, TaskSummary } from "./task/task-record.js";
export { finalStatuses, isFinal, openQuestions, unfinishedStatuses } from "./task/task-record.js";
export { defineTool } from "./tool/define-tool.js";
export type { AnySchema, JsonSchemaValidator, StandardSchema } from "./tool/schema.js";
export type {
  AskRequest,
  AskResult,
  Checkpoint,
  ContentBlock,
  PlainToolDefinition,
  RetryPolicy,
  TaskContext,
  TaskLimits,
  Tool,
  ToolDefinition,
} from "./tool/tool.js";
