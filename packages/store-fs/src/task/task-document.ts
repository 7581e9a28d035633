import { join } from "node:path";
import type { TaskRecord } from "@resumable-mcp/core";
import { type DocumentOptions, parseDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { taskFolder } from "../disk/layout.js";
import { quarantineFile } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { recordSchema } from "../journal/journal-line.js";

const schema = z.object({
  note: z.string(),
  /** Which task of this id it is about, and by which epoch it was written. */
  birth: z.optional(z.string()),
  epoch: z.optional(z.number()),
  record: recordSchema,
});

/** A task as a person reads it. The journal is the truth; this is a copy of what it said a moment ago. */
export type TaskDocument = z.infer<typeof schema>;

const note = "A copy for reading. The truth is in the journal; changing this file changes nothing.";

/** What a task's document says of a record. */
export function documentOf(record: TaskRecord, { birth, epoch }: { birth: string; epoch: number }): TaskDocument {
  return { note, birth, epoch, record };
}

/** Where a task's document is, and what happens to one that is damaged. */
export function documentOptions(
  context: StoreContext,
  taskId: string,
): Pick<DocumentOptions<TaskDocument>, "path" | "schema" | "onDamage" | "disk" | "createName"> {
  const { disk, layout, unique } = context;
  return {
    path: join(taskFolder(layout, taskId), "task.json"),
    schema,
    disk,
    createName: unique,
    onDamage: ({ path, problem }) => quarantineFile(context, path, `${taskId}.task.json`, problem),
  };
}

/** Parses the text of a task's document; `undefined` for any other. */
export function parseTaskDocument(text: string): TaskDocument | undefined {
  const parsed = parseDocument(schema, text);
  return "document" in parsed ? parsed.document : undefined;
}
