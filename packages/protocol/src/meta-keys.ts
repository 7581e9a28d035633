import { isJsonObject } from "@resumable-mcp/core";

/**
 * Every key of `_meta` that this toolkit defines; docs/control-tools.md explains the public ones.
 *
 * Source: MCP, Basic, "_meta": a key with a prefix belongs to the owner of the prefix.
 */
export const metaKeys = {
  /**
   * On requests: who calls. On listed tools: `argument` when their argument `client_id` names the caller; `data` when it is their
   * own, and names the callers of local requests alone.
   */
  clientId: "resumable-mcp/client_id",
  /** On results of `initialize` and `server/discover`: `true` when the request is local, so that its client need not name itself. */
  local: "resumable-mcp/local",
  handoff: "resumable-mcp/handoff",
  callerStays: "resumable-mcp/attended",
  /** On requests: the client shows its user the questions of tasks by itself, and need not be asked. */
  showsQuestions: "resumable-mcp/shows_questions",
  newTask: "resumable-mcp/new_task",
  /** On calls of control tools: an operator asks for the tasks of all owners. No model sets it. */
  allOwners: "resumable-mcp/all_owners",
  afterSeq: "resumable-mcp/after_seq",
  taskId: "resumable-mcp/task_id",
  seq: "resumable-mcp/seq",
  status: "resumable-mcp/status",
  reused: "resumable-mcp/reused",
  /** The call was made a second time, since the server behind it was lost. */
  repeated: "resumable-mcp/repeated",
  snapshot: "resumable-mcp/snapshot",
  /** On listed tools: `journal` when the same call joins its task, so that it may be delivered again. */
  durable: "resumable-mcp/durable",
  /** On results of `tools/list`: which control tools there are, `{ listed, prefix }`. */
  controlTools: "resumable-mcp/control_tools",
  /** Likewise, of a gateway whose server has never started: why, as a text. Its tools are not known. */
  notStarted: "resumable-mcp/not_started",
  /** On elicitation requests: the key of the question, which keeps its identity across restarts. */
  question: "resumable-mcp/question",
  /** Between a transport or supervisor and its server: the stable name of this call. */
  callId: "resumable-mcp/call_id",
  /** Likewise: this call was delivered before. */
  redelivered: "resumable-mcp/redelivered",
  /** Likewise: when this call was accepted, in milliseconds of the wall clock. */
  acceptedMs: "resumable-mcp/accepted_ms",
  /** Likewise: the highest progress that the caller was shown of this call. */
  shownProgress: "resumable-mcp/shown_progress",
  /** Likewise: the sender reports by `deliveryMethod` whether its client received the result. */
  tellsDelivery: "resumable-mcp/tells_delivery",
  /** Likewise: the id by which the client knows the request. */
  requestId: "resumable-mcp/request_id",
  /** Likewise: the client that the session or connection named before, where the request names none. */
  sessionClientId: "resumable-mcp/session_client_id",
} as const;

/** Keys that only a transport or a supervisor may set: the server removes them from what clients send over HTTP. */
export const internalMetaKeys: readonly string[] = [
  metaKeys.callId,
  metaKeys.redelivered,
  metaKeys.acceptedMs,
  metaKeys.requestId,
  metaKeys.shownProgress,
  metaKeys.tellsDelivery,
  metaKeys.taskId,
  metaKeys.sessionClientId,
];

/**
 * The request by which a supervisor reports whether a result reached the host: `taskId`, `delivered`. The response means
 * that the report is durable.
 */
export const deliveryMethod = "resumable-mcp/delivery";

/** Reserved keys of `_meta` in the 2026 era. Source: MCP 2026-07-28, Basic, "_meta". */
export const envelopeKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The name of the tasks extension. Source: MCP Tasks extension (SEP-2663), "Capabilities". */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/**
 * Whether a call may be sent again after a break: `journal` joins its task; `again` repeats it without harm, by the tool's
 * own annotations; `once` must not run twice. Source: MCP, Tools, "Tool Annotations".
 */
export type Repeatable = "journal" | "again" | "once";

/** What a listed tool says of itself, unchecked. */
interface ListedTool {
  readonly _meta?: unknown;
  readonly annotations?: unknown;
}

/** Reads from a listed tool whether its call may be sent again. */
export function readRepeatable({ _meta, annotations }: ListedTool): Repeatable {
  if (isJsonObject(_meta) && _meta[metaKeys.durable] === "journal") return "journal";
  if (!isJsonObject(annotations)) return "once";
  return annotations.readOnlyHint === true || annotations.idempotentHint === true ? "again" : "once";
}

/** What a listed tool says of its argument `client_id`; `undefined`: nothing, so it names no caller. */
export function readClientArgument({ _meta }: ListedTool): "argument" | "data" | undefined {
  const said = isJsonObject(_meta) ? _meta[metaKeys.clientId] : undefined;
  return said === "argument" || said === "data" ? said : undefined;
}
