import { decodeTask, type TaskFacts } from "@resumable-mcp/protocol";

/** What a server says of one task. Times are ISO 8601 UTC. */
export interface TaskInfo extends TaskFacts {
  /** The address of the server that runs it. */
  readonly server: string;
}

/** Reads a task object; `undefined` when the value is not one. */
export function parseTaskInfo(value: unknown, server: string): TaskInfo | undefined {
  const facts = decodeTask(value);
  return facts === undefined ? undefined : { ...facts, server };
}
