/**
 * The names of spans, attributes and metrics. `mcp.*`, `gen_ai.*`, `rpc.*` and the general ones are those of the OpenTelemetry
 * conventions; what they do not know, work that outlives its request, is `resumable_mcp.*`.
 *
 * Source: OpenTelemetry semantic conventions for generative AI, "Model Context Protocol (MCP)" (development).
 */
export const attributes = {
  method: "mcp.method.name",
  tool: "gen_ai.tool.name",
  operation: "gen_ai.operation.name",
  errorType: "error.type",
  requestId: "jsonrpc.request.id",
  statusCode: "rpc.response.status_code",
  transport: "network.transport",
  protocolName: "network.protocol.name",
  taskId: "resumable_mcp.task.id",
  taskStatus: "resumable_mcp.task.status",
  joined: "resumable_mcp.task.joined",
  toolVersion: "resumable_mcp.tool.version",
  attempt: "resumable_mcp.attempt.number",
  attemptEnd: "resumable_mcp.attempt.end",
  crashes: "resumable_mcp.attempt.crashes",
  storeOperation: "resumable_mcp.store.operation",
} as const;

/** Under this name spans and metrics are found. */
export const scopeName = "resumable-mcp";

/** Boundaries of histograms, in seconds. Source: the same, "Metrics", for the first. */
export const buckets = {
  operation: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  /** Of what takes less than an operation: commits, and other work of a store. */
  storage: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
} as const;

/** The value for all that has no value of its own: what callers choose makes no new series. Source: the same, `error.type`. */
export const other = "_OTHER";

/** A result with `isError`. Source: the same, `error.type`. */
export const toolError = "tool_error";
