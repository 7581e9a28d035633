import { ResumableError } from "../errors.js";
import { copyJson, type Json } from "../json.js";
import { type AnySchema, checkValue, isStandardSchema } from "../schema.js";
import type { TaskContext } from "../tool.js";
import type { AttemptControl } from "./attempt-control.js";
import type { AttemptLog } from "./attempt-log.js";
import type { JournalWriter } from "./journal-writer.js";
import type { AttemptOptions } from "./run-attempt.js";
import type { Verbs } from "./task-verbs.js";

/** Makes what a running tool has in its hands. */
export async function createTaskContext(
  options: AttemptOptions,
  parts: {
    readonly control: AttemptControl;
    readonly journal: JournalWriter;
    readonly verbs: Verbs;
    readonly log: AttemptLog;
  },
): Promise<TaskContext<unknown, unknown>> {
  const { record, store } = options;
  const { verbs } = parts;
  return {
    id: record.id,
    attempt: record.attempt,
    state: await firstState(options),
    signal: parts.control.signal,
    step: verbs.step,
    ask: verbs.ask,
    sleep: verbs.sleep,
    log: parts.log.log,
    idempotencyKey: (key) => `${record.id}.${record.generation}.${key}`,
    async *items() {
      const limit = 1_000;
      const { itemCount } = record;
      for (let after = 0; after < itemCount; ) {
        const page = await store.readItems(record.id, { after, limit: Math.min(limit, itemCount - after) });
        if (page.items.length === 0) return;
        yield* page.items;
        after = page.next;
      }
    },
  };
}

async function firstState({ tool, record, previousVersion, validate }: AttemptOptions): Promise<unknown> {
  const { state: declared, migrate } = tool;
  const schema = isSchema(declared) ? declared : undefined;
  if (record.state === undefined) {
    if (schema === undefined) return declared === undefined ? null : copyJson(declared, "state");
    return checkedState(schema, undefined);
  }
  const changed = record.attempt > 1 && previousVersion !== tool.version && migrate !== undefined;
  const state = changed ? migrate(copyJson(record.state, "state"), previousVersion) : copyJson(record.state, "state");
  return schema === undefined ? state : checkedState(schema, state);

  async function checkedState(stateSchema: AnySchema, value: unknown): Promise<unknown> {
    const checked = await checkValue(stateSchema, value, validate);
    if (checked.problems === undefined) return checked.value;
    throw new ResumableError(
      "VERSION_MISMATCH",
      `The state of the task, left by version ${previousVersion} of ${tool.name}, does not fit version ${tool.version}: ${checked.problems.join("; ")}. Add a migrate function to the tool, or call it again to begin anew.`,
      { details: { taskId: record.id, from: previousVersion, to: tool.version } },
    );
  }
}

function isSchema(state: unknown): state is AnySchema {
  return typeof state === "object" && state !== null && isStandardSchema(state as Record<string, Json>);
}
