import { TaskInterrupted } from "../../errors.js";
import { copyJson, type Json } from "../../json.js";
import { fixedLimits } from "../../limits.js";
import type { ItemPage } from "../../store/store.js";
import type { TaskRecord } from "../../task/task-record.js";
import { checkValue, isSchema, type JsonSchemaValidator } from "../../tool/schema.js";
import type { AskRequest, StepAttempt, StepOptions, TaskContext, Tool } from "../../tool/tool.js";
import { refusalMessage } from "../scheduling/version-rule.js";
import type { AttemptParts } from "./attempt-parts.js";
import type { MapCall } from "./task-map.js";
import type { TaskVerbs } from "./task-verbs.js";

/** Makes what a running tool has in its hands. */
export async function createTaskContext(parts: AttemptParts, verbs: TaskVerbs): Promise<TaskContext<unknown, unknown>> {
  const { record, journal } = parts;
  // A restart from nothing does everything again, so its keys are others; going on from the last state keeps them.
  const idempotencyKey = (key: string) => `${record.id}.${record.itemsFromSeq}.${key}`;
  return {
    id: record.id,
    owner: record.owner,
    createdAt: record.createdAt,
    attempt: record.attempt,
    state: await stateOfAttempt(parts.tool, record, parts.tools.validate),
    signal: parts.control.signal,
    // What types say about these values is for authors: the verbs look at the values themselves.
    step: <Value>(key: string, run: (attempt: StepAttempt) => unknown, options?: StepOptions) =>
      handled(verbs.step(key, run, options) as Promise<Value>),
    map: (key, items, run, options = {}) =>
      handled(verbs.map({ key, items, run: run as MapCall["run"], options }, idempotencyKey)),
    call: (key: string, tool: Tool | string, input: unknown) =>
      handled(verbs.calls.call(key, tool, input) as Promise<never>),
    ask: (key, request) => handled(verbs.questions.ask(key, request as AskRequest)),
    sleep: (key, duration) => handled(verbs.sleep(key, duration)),
    artifact: (name, content, options) => handled(verbs.artifact(name, content, options)),
    log: (level, data) => journal.log(level, data),
    idempotencyKey,
    items: () => committedItems(parts),
  };
}

/** A tool that does not wait for what it began must not take the process down when its attempt ends. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** Ends at what was committed when the reading began: a tool may append while it reads. */
async function* committedItems(parts: AttemptParts): AsyncGenerator<unknown, void, void> {
  const { itemCount } = parts.journal.record;
  for (let after = 0; after < itemCount; ) {
    const page = await itemPage(parts, after, Math.min(fixedLimits.itemPage, itemCount - after));
    if (page.items.length === 0) return;
    yield* page.items;
    after = page.next;
  }
}

/** A store that fails ends the attempt: to the tool it must not look like an error of its own. */
async function itemPage({ store, journal }: AttemptParts, after: number, limit: number): Promise<ItemPage> {
  try {
    return await store.readItems(journal.record.id, { after, limit });
  } catch (error) {
    journal.fail(error);
    throw new TaskInterrupted("lease_lost");
  }
}

/**
 * Gives the state from which an attempt continues: that of the last checkpoint, migrated and checked, or the first one.
 *
 * @throws {@link Refusal} when the state does not fit the tool.
 */
export async function stateOfAttempt(tool: Tool, record: TaskRecord, validate: JsonSchemaValidator): Promise<unknown> {
  const schema = isSchema(tool.state) ? tool.state : undefined;
  let state: unknown;
  if (record.state !== undefined) state = migrated(tool, record, copyJson(record.state, "state"));
  else if (schema === undefined) state = tool.state === undefined ? null : copyJson(tool.state, "state");
  if (schema === undefined) return state;
  const checked = await checkValue(schema, state, validate);
  if (checked.problems !== undefined) throw mismatch(tool, record, checked.problems);
  return checked.value;
}

/**
 * Gives the input of an attempt, with the defaults of its schema.
 *
 * @throws {@link Refusal} when the input does not fit the tool.
 */
export async function inputOfAttempt(tool: Tool, record: TaskRecord, validate: JsonSchemaValidator): Promise<unknown> {
  const checked = await checkValue(tool.input, record.input, validate);
  if (checked.problems !== undefined) throw new Refusal("the input of the task", tool, checked.problems);
  return checked.value;
}

function migrated(tool: Tool, record: TaskRecord, state: Json): unknown {
  const from = writtenBy(record);
  if (tool.migrate === undefined || from === tool.version) return state;
  try {
    return tool.migrate(state, from);
  } catch (error) {
    throw mismatch(tool, record, [error instanceof Error ? error.message : String(error)], error);
  }
}

function writtenBy({ stateVersion, toolVersion }: TaskRecord): string {
  return stateVersion ?? toolVersion;
}

function mismatch(tool: Tool, record: TaskRecord, problems: readonly string[], cause?: unknown): Refusal {
  return new Refusal(`the state of version ${writtenBy(record)}`, tool, problems, cause);
}

/** The code of an attempt cannot read what the task is. Thrown before the tool runs; the task waits for other code. */
export class Refusal extends Error {
  constructor(what: string, { name, version }: Tool, problems: readonly string[], cause?: unknown) {
    const reason = `${what} does not fit version ${version} of ${name}: ${problems.slice(0, 10).join("; ")}`;
    super(refusalMessage(reason.slice(0, fixedLimits.maxFailureLength), "Start a server whose code fits", version), {
      cause,
    });
  }
}
