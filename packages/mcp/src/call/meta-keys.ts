/**
 * Every key that this toolkit reads or writes in `_meta`; docs/control-tools.md explains the public ones.
 *
 * Source: MCP, Basic, "_meta": keys with a prefix belong to whoever owns it.
 */
export const metaKeys = {
  /** On listed tools: `argument` when their argument `client_id` names the caller. */
  clientId: "resumable-mcp/client_id",
  handoff: "resumable-mcp/handoff",
  attended: "resumable-mcp/attended",
  newTask: "resumable-mcp/new_task",
  afterSeq: "resumable-mcp/after_seq",
  taskId: "resumable-mcp/task_id",
  seq: "resumable-mcp/seq",
  status: "resumable-mcp/status",
  reused: "resumable-mcp/reused",
  snapshot: "resumable-mcp/snapshot",
  /** On listed tools: `journal` when a call may be delivered again from the task's journal. */
  durable: "resumable-mcp/durable",
  /** On elicitation requests: the key of the question, so that it keeps one identity across restarts. */
  question: "resumable-mcp/question",
  /** Between a transport or supervisor and the server behind it: the stable name of this very call. */
  callId: "resumable-mcp/call_id",
  /** Likewise: this call was delivered before. */
  redelivered: "resumable-mcp/redelivered",
  /** Likewise: the sender tells itself, by `deliveryMethod`, whether its client got the result. */
  tellsDelivery: "resumable-mcp/tells_delivery",
  /** Likewise: the id by which the client knows the request. */
  requestId: "resumable-mcp/request_id",
} as const;

/** Keys that only a transport or a supervisor may set: taken out of what clients send over HTTP. */
export const internalMetaKeys: readonly string[] = [
  metaKeys.callId,
  metaKeys.redelivered,
  metaKeys.requestId,
  metaKeys.tellsDelivery,
  metaKeys.taskId,
];

/**
 * The request by which a supervisor tells its server whether a result reached the host: `taskId`, `delivered`. Its
 * answer says that this is durable.
 */
export const deliveryMethod = "resumable-mcp/delivery";
