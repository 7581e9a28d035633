/** What authors of tools need. */
export { createEngine } from "./engine/create-engine.js";
export type { Engine, EngineOptions, OwnedTasks, TaskView } from "./engine/engine.js";
export type { ErrorCode } from "./errors.js";
export {
  isResumableError,
  isTaskInterrupted,
  isTerminalError,
  ResumableError,
  RetryableError,
  TaskInterrupted,
  TerminalError,
  ToolError,
} from "./errors.js";
export type { Json, JsonObject } from "./json.js";
export { isJsonObject } from "./json.js";
export type { MemoryStore } from "./store/memory/memory-store.js";
export { createMemoryStore } from "./store/memory/memory-store.js";
export type { Store } from "./store/store.js";
export type { LogLevel } from "./task/task-event.js";
export type { TaskRecord, TaskStatus } from "./task/task-record.js";
export { isFinal } from "./task/task-record.js";
export { defineTool } from "./tool/define-tool.js";
export type { RetryPolicy } from "./tool/retry-policy.js";
export type { JsonSchemaValidator, StandardSchema } from "./tool/schema.js";
export type {
  AskRequest,
  AskResult,
  Checkpoint,
  ContentBlock,
  MapCounts,
  MapOptions,
  StepAttempt,
  StepOptions,
  TaskContext,
  Tool,
  TypedTool,
} from "./tool/tool.js";
export type { ToolOptions } from "./tool/tool-options.js";
