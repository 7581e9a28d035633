import type { Json, JsonObject, TaskRecord } from "@resumable-mcp/core";
import { childrenOf } from "@resumable-mcp/core/store";
import { JsonFields } from "./json-fields.js";

/** The task that called another one, by `task.call`. */
export interface ParentFacts {
  readonly taskId: string;
  /** The key of the call in it. */
  readonly key: string;
}

/** A task that another one called, and how far that one knows it to be. */
export interface ChildFacts extends ParentFacts {
  readonly tool: string;
  readonly status: (typeof childStatuses)[number];
}

const childStatuses = ["called", "returned", "failed"] as const;
/** Children that a task object names: the newest. */
const maxChildren = 100;

/** Writes which task called a task, and which ones it called. */
export function encodeFamily(record: TaskRecord): JsonObject {
  const { parent } = record;
  const children = childrenOf(record).slice(-maxChildren);
  return {
    ...(parent !== undefined && { parent: { task_id: parent.id, key: parent.key } }),
    ...(children.length > 0 && {
      children: children.map(({ key, child, tool, status }) => ({ task_id: child, task_name: tool, key, status })),
    }),
  };
}

/** Reads the parent of a task object. */
export function decodeParent(value: Json | undefined): ParentFacts | undefined {
  const fields = JsonFields.of(value);
  const [taskId, key] = [fields?.text("task_id"), fields?.text("key")];
  return taskId === undefined || key === undefined ? undefined : { taskId, key };
}

/** Reads the children of a task object. */
export function decodeChildren(fields: JsonFields): readonly ChildFacts[] | undefined {
  const children = fields.list("children").flatMap((value): readonly ChildFacts[] => {
    const [link, child] = [decodeParent(value), JsonFields.of(value)];
    const [tool, status] = [child?.text("task_name"), child?.oneOf("status", childStatuses)];
    return link === undefined || tool === undefined || status === undefined ? [] : [{ ...link, tool, status }];
  });
  return children.length === 0 ? undefined : children;
}
