import type { Engine, Json, JsonObject, OwnedTasks, TaskView } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import { parseTaskUri, rpcCodes, type TaskPart, taskUri } from "@resumable-mcp/protocol";
import { findTask } from "../call/call.js";
import { readSeq } from "../call/journal-message.js";
import { RpcError } from "../call/rpc-error.js";
import { taskObject } from "../call/tool-result.js";
import { limits } from "../limits.js";

/** What is offered of every task. Source: MCP, Server Features, Resources, "Resource Templates". */
export const taskTemplates = [
  template("task", "A task", "How far a long-running task is."),
  template("journal", "A task's journal", "What happened to a long-running task: progress, log, steps and questions."),
  template("items", "A task's items", "What a long-running task has produced so far."),
  {
    name: "task_artifact",
    uriTemplate: "task://{id}/artifacts/{name}{?from}",
    title: "A task's artifact",
    description: "A file that a long-running task made; a large one in parts, from a byte on.",
  },
];

function template(part: TaskPart, title: string, description: string) {
  const name = part === "task" ? "task" : `task_${part}`;
  return { name, uriTemplate: taskUri("{id}", part), title, description, mimeType: "application/json" };
}

/** Lists the newest tasks, for a caller that has lost an id. */
export async function listTaskResources(engine: Engine, tasks: OwnedTasks): Promise<JsonObject[]> {
  const page = await tasks.list({ limit: limits.maxListedResources });
  return page.tasks.map(({ id, tool, status }) => ({
    uri: taskUri(id),
    name: id,
    title: `${engine.tools.find(({ name }) => name === tool)?.title ?? tool} (${status})`,
    mimeType: "application/json",
  }));
}

/** Reads a resource. A foreign task is answered like one that does not exist. */
export async function readTaskResource(
  engine: Engine,
  tasks: OwnedTasks,
  uri: string,
): Promise<{ contents: JsonObject[] }> {
  const parsed = parseTaskUri(uri);
  const view = parsed && (await findTask(tasks, parsed.taskId));
  if (parsed === undefined || view === undefined) throw notFound(uri);
  const data = await readPart(engine, tasks, view, parsed.part);
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
}

/** Refuses the URI of a task that the owner does not have; other URIs belong to other handlers. */
export async function checkTaskResource(tasks: OwnedTasks, uri: string): Promise<void> {
  const parsed = parseTaskUri(uri);
  if (parsed !== undefined && (await findTask(tasks, parsed.taskId)) === undefined) throw notFound(uri);
}

/** Tells of every change of a resource, until the task is deleted or `signal` aborts. */
export async function watchTaskResource(
  tasks: OwnedTasks,
  uri: string,
  updated: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const parsed = parseTaskUri(uri);
  if (parsed === undefined) return;
  const { record } = await tasks.get(parsed.taskId);
  let shown = record.lastSeq;
  for await (const followed of tasks.follow(parsed.taskId, { afterSeq: shown, signal })) {
    if (readSeq(followed) <= shown) continue;
    // One message tells of everything up to now.
    shown = (await tasks.get(parsed.taskId)).record.lastSeq;
    await updated();
  }
}

async function readPart(engine: Engine, tasks: OwnedTasks, view: TaskView, part: TaskPart): Promise<JsonObject> {
  const { id: taskId, lastSeq, input } = view.record;
  if (part === "task") return taskObject({ engine, prefix: "" }, view);
  if (part === "items") return { task_id: taskId, ...(await tasks.items(taskId, { limit: limits.maxReadItems })) };
  const { events } = await readJournal(tasks, view, { after: 0, limit: limits.maxJournalEvents });
  return { task_id: taskId, last_seq: lastSeq, arguments: input, events };
}

/** A part of a journal, as its owner sees it. */
export interface JournalPart {
  readonly events: JsonObject[];
  /** Where the next part begins: the place of the last event. */
  readonly next: number;
}

/**
 * Reads a journal from behind a place on, or its newest events where that is 0.
 *
 * Limits: `limit` events; no more of them than fill `maxJournalPartBytes`, but one at least.
 */
export async function readJournal(
  tasks: OwnedTasks,
  { record: { id, lastSeq } }: TaskView,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<JournalPart> {
  const from = after === 0 ? Math.max(0, lastSeq - limit) : Math.min(after, lastSeq);
  const events: JsonObject[] = [];
  if (from === lastSeq) return { events, next: lastSeq };
  let next = from;
  let bytes = 0;
  for await (const followed of tasks.follow(id, { afterSeq: from })) {
    const event = shownEvent(followed);
    bytes += Buffer.byteLength(JSON.stringify(event));
    if (bytes > limits.maxJournalPartBytes && events.length > 0) break;
    events.push(event);
    next = readSeq(followed);
    if (next >= lastSeq || events.length >= limit) break;
  }
  return { events, next };
}

/** Characters of a step's value that are shown; a longer one is a text of its beginning. */
const maxValueCharacters = 2_000;

/** A state is the tool's own affair. */
function shownEvent(followed: Followed): JsonObject {
  if (followed.kind === "snapshot") return { type: "snapshot", seq: followed.record.lastSeq };
  const { state: _state, value, task: _task, items, ...shown } = { ...(followed.event as unknown as JsonObject) };
  return {
    ...shown,
    ...(value !== undefined && { value: shortValue(value) }),
    ...(Array.isArray(items) && { item_count: items.length }),
  };
}

function shortValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= maxValueCharacters ? value : `${text.slice(0, maxValueCharacters)}…`;
}

function notFound(uri: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, "Resource not found", { uri });
}
