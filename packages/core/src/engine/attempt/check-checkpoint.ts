import { invalidValue, ResumableError } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit } from "../../limits.js";
import type { TaskEventBody } from "../../task/task-event.js";
import type { TaskRecord } from "../../task/task-record.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { type AnySchema, type Checked, checkValue, type JsonSchemaValidator } from "../../tool/schema.js";
import type { Checkpoint, Tool } from "../../tool/tool.js";
import type { AttemptParts } from "./attempt-parts.js";

/**
 * Checks and copies what a tool yielded, so that what is committed is what will be read back. Gives nothing for what an earlier
 * attempt has committed.
 *
 * @throws {@link ResumableError} `PROGRESS_WENT_BACK`, `NOT_JSON`, `INVALID_VALUE`, `LIMIT_EXCEEDED`.
 */
export async function checkCheckpoint(
  yielded: Checkpoint<unknown, unknown>,
  parts: AttemptParts,
): Promise<readonly TaskEventBody[]> {
  const { tool, tools, taskLimits: limits, journal } = parts;
  const { record } = journal;
  if (typeof yielded !== "object" || yielded === null) {
    throw invalidValue(`A checkpoint of ${tool.name}`, ["must be an object such as { progress, total, state }"]);
  }
  const problems = unknownKeys(yielded, checkpointKeys, "a checkpoint");
  if (problems.length > 0) throw invalidValue(`A checkpoint of ${tool.name}`, problems);
  if (isRepeat(yielded, parts)) return [];
  const { total, message } = yielded;
  // Another server begins to count again where its call is made again.
  const isCountedAgain = tool.mirrors !== undefined && Number(yielded.progress) < record.progress;
  const progress = isCountedAgain ? undefined : yielded.progress;
  checkProgress(tool, record, progress, total);
  const state = yielded.state === undefined ? undefined : copyJson(yielded.state, "state");
  if (state !== undefined) checkLimit("maxStateBytes", jsonBytes(state), limits.maxStateBytes);
  const items = yielded.append === undefined ? [] : await checkItems(yielded.append, tool.item, tools.validate);
  const itemBytes = items.length === 0 ? 0 : jsonBytes(items);
  checkLimit("maxAppendBytes", itemBytes, limits.maxAppendBytes);
  checkLimit("maxItemsBytes", record.itemBytes + itemBytes, limits.maxItemsBytes);
  const shown = message === undefined ? undefined : String(message).slice(0, limits.maxMessageLength);
  const appended = items.length > 0 && { items, itemBytes };
  return [{ type: "checkpoint", progress, total, message: shown, state, ...appended }];
}

/**
 * A generator without a state begins again after a crash, and replays its steps: until this attempt comes further than those before
 * it, its progress is theirs.
 */
function isRepeat(yielded: Checkpoint<unknown, unknown>, parts: AttemptParts): boolean {
  const { tool, journal, record: begun } = parts;
  const { progress, total = begun.total, message = begun.message, state, append } = yielded;
  if (begun.attempt === 1 || begun.state !== undefined || tool.mirrors !== undefined) return false;
  if (state !== undefined || append !== undefined) return false;
  if (progress === undefined || !(progress >= 0) || journal.record.progress > begun.progress) return false;
  return (
    progress < begun.progress || (progress === begun.progress && total === begun.total && message === begun.message)
  );
}

/** Commits a checkpoint of the attempt, one at a time: each counts on from the one before. */
export function writeCheckpoint(
  { checkpoints, tool, observer, telemetry, clock, lease, journal }: AttemptParts,
  make: () => readonly TaskEventBody[] | Promise<readonly TaskEventBody[]>,
): Promise<void> {
  return checkpoints.run(lease.taskId, async () => {
    const begunMs = clock.monotonicMs();
    const events = await make();
    if (events.length === 0) return;
    observer("engine.checkpoint.before", lease.taskId);
    await journal.commit(events);
    telemetry.checkpointed(tool.name, clock.monotonicMs() - begunMs);
    observer("engine.checkpoint.after", lease.taskId);
  });
}

/** A tool that is only late with its checkpoint has done the work; one that was cancelled has done it for nothing. */
export function keepsCheckpoints(aborted: AttemptParts["control"]["aborted"]): boolean {
  return aborted === undefined || aborted === "pause" || aborted === "drain";
}

const checkpointKeys: ReadonlySet<string> = new Set(
  Object.keys({ progress: true, total: true, state: true, append: true, message: true } satisfies Record<
    keyof Checkpoint,
    true
  >),
);

/** A text in quotes, so that it does not look like a number. */
const shown = (value: unknown) => (typeof value === "string" ? JSON.stringify(value) : String(value));

function checkProgress(tool: Tool, record: TaskRecord, progress: number | undefined, total: number | undefined): void {
  for (const [name, value] of Object.entries({ progress, total })) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw invalidValue(`A checkpoint of ${tool.name}`, [`${name}: must be a number from 0 on, not ${shown(value)}`]);
    }
  }
  if (progress === undefined || progress >= record.progress) return;
  throw new ResumableError(
    "PROGRESS_WENT_BACK",
    `Tool ${tool.name} reported progress ${progress} after ${record.progress}. Progress must not go back: continue from task.state, the state of the last checkpoint.`,
    { details: { taskId: record.id, from: record.progress, to: progress } },
  );
}

async function checkItems(
  append: unknown,
  schema: AnySchema | undefined,
  validate: JsonSchemaValidator,
): Promise<readonly Json[]> {
  if (!Array.isArray(append)) throw invalidValue("append", ["must be a list"]);
  const items: Json[] = [];
  for (const [index, item] of (append as readonly unknown[]).entries()) {
    const checked: Checked<unknown> = schema === undefined ? { value: item } : await checkValue(schema, item, validate);
    if (checked.problems !== undefined) throw invalidValue(`append[${index}]`, checked.problems);
    items.push(copyJson(checked.value, `append[${index}]`));
  }
  return items;
}
