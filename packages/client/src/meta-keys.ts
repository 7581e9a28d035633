/** The keys that travel in `_meta`; docs/control-tools.md says what each means. */
export const metaKeys = {
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
  /** On listed tools: the same call attaches to its task. */
  durable: "resumable-mcp/durable",
} as const;
