import type { TaskContext } from "../../tool/tool.js";
import type { AttemptOptions, AttemptParts } from "./attempt.js";
import { stateOfAttempt } from "./state-of-attempt.js";

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
    // A restart from nothing does everything anew, so its keys are others; going on from the last state keeps them.
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
