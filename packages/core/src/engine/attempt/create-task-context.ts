import { ResumableError } from "../../errors.js";
import { copyJson, type Json } from "../../json.js";
import { type AnySchema, checkValue, isStandardSchema } from "../../tool/schema.js";
import type { TaskContext } from "../../tool/tool.js";
import type { AttemptOptions, AttemptParts } from "./attempt.js";

/** Makes what a running tool has in its hands. */
export async function createTaskContext(
  options: AttemptOptions,
  parts: AttemptParts,
): Promise<TaskContext<unknown, unknown>> {
  const { record } = options;
  const { verbs } = parts;
  return {
    id: record.id,
    attempt: record.attempt,
    state: await stateOfAttempt(options),
    signal: parts.control.signal,
    step: verbs.step,
    ask: verbs.ask,
    sleep: verbs.sleep,
    log: parts.log.log,
    // A restart from nothing does everything again, so its keys are others; going on from the last state keeps them.
    idempotencyKey: (key) => `${record.id}.${record.itemsFromSeq}.${key}`,
    items: () => committedItems(options, parts),
  };
}

/** Ends at what was committed when the reading began: a tool may append while it reads. */
async function* committedItems(
  { store }: Pick<AttemptOptions, "store">,
  { journal }: Pick<AttemptParts, "journal">,
): AsyncGenerator<unknown, void, void> {
  const pageSize = 1_000;
  const { id, itemCount } = journal.record;
  for (let after = 0; after < itemCount; ) {
    const page = await store.readItems(id, { after, limit: Math.min(pageSize, itemCount - after) });
    if (page.items.length === 0) return;
    yield* page.items;
    after = page.next;
  }
}

type StateOptions = Pick<AttemptOptions, "tool" | "record" | "validate">;

/**
 * Gives the state from which an attempt continues: that of the last checkpoint, migrated and checked, or the first one.
 *
 * @throws {@link ResumableError} `VERSION_MISMATCH` when the state does not fit the tool.
 */
export async function stateOfAttempt(options: StateOptions): Promise<unknown> {
  const { tool, record } = options;
  const schema = isSchema(tool.state) ? tool.state : undefined;
  if (record.state === undefined) {
    if (schema !== undefined) return checkedState(options, schema, undefined);
    return tool.state === undefined ? null : copyJson(tool.state, "state");
  }
  const state = migrated(options, copyJson(record.state, "state"));
  return schema === undefined ? state : checkedState(options, schema, state);
}

function migrated(options: StateOptions, state: Json): unknown {
  const { tool } = options;
  const from = writtenBy(options);
  if (tool.migrate === undefined || from === tool.version) return state;
  try {
    return tool.migrate(state, from);
  } catch (error) {
    throw mismatch(options, [error instanceof Error ? error.message : String(error)], error);
  }
}

async function checkedState(options: StateOptions, schema: AnySchema, value: unknown): Promise<unknown> {
  const checked = await checkValue(schema, value, options.validate);
  if (checked.problems === undefined) return checked.value;
  throw mismatch(options, checked.problems);
}

function writtenBy({ record }: StateOptions): string {
  return record.stateVersion ?? record.toolVersion;
}

function mismatch(options: StateOptions, problems: readonly string[], cause?: unknown): ResumableError {
  const { tool, record } = options;
  const from = writtenBy(options);
  return new ResumableError(
    "VERSION_MISMATCH",
    `The state of the task, left by version ${from} of ${tool.name}, does not fit version ${tool.version}: ${problems.join("; ")}. Add a migrate function to the tool and resume the task, or call the tool again to begin from nothing.`,
    { details: { taskId: record.id, from, to: tool.version }, cause },
  );
}

function isSchema(state: unknown): state is AnySchema {
  return typeof state === "object" && state !== null && isStandardSchema(state as Record<string, Json>);
}
