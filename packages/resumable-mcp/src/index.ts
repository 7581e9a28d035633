// What authors of tools import. It loads no SDK, since a host waits until a tools module is loaded; docs/decisions/0022.
export { defineConfig } from "@resumable-mcp/command-line/define-config";
export {
  type AskResult,
  type Checkpoint,
  createEngine,
  createMemoryStore,
  defineTool,
  type Engine,
  isResumableError,
  isTaskInterrupted,
  type Json,
  type JsonObject,
  type MapCounts,
  ResumableError,
  RetryableError,
  type RetryPolicy,
  type StepOptions,
  type Store,
  type TaskContext,
  TaskInterrupted,
  TerminalError,
  type Tool,
  ToolError,
  type ToolOptions,
  type TypedTool,
} from "@resumable-mcp/core";
export { defineServer, type ServerDefinition } from "@resumable-mcp/mcp/define-server";
export { createFsStore } from "@resumable-mcp/store-fs";
