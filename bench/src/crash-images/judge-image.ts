import { isDeepStrictEqual } from "node:util";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { artifactsOf, reduceTask, type TaskEvent, type TaskSnapshot } from "@resumable-mcp/core/store";
import type { CreatedTask, Ledger, Moments, PutSession } from "./ledger.js";
import { artifactChunks } from "./work-on-store.js";

const now = { wallMs: Date.UTC(2026, 0, 2), monotonicMs: 1_000_000 };
const maxListed = 1_000;
const maxEvents = 10_000;

/**
 * Compares a store after a loss of power with what it acknowledged before.
 *
 * @param at how much had happened to the disk when power was lost.
 * @returns what is missing or was never written, in words.
 */
export async function judgeImage(store: Store, ledger: Ledger, at: number): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const task of ledger.tasks.values()) problems.push(...(await judgeTask(store, task, at)));
  for (const puts of ledger.sessions.values()) problems.push(...(await judgeSession(store, puts, at)));
  problems.push(...(await judgeLists(store, ledger, at)));
  return problems;
}

function wasDone({ doneAt }: Moments, at: number): boolean {
  return doneAt !== undefined && doneAt <= at;
}

function wasAsked(moments: Moments | undefined, at: number): boolean {
  return moments !== undefined && moments.askedAt <= at;
}

function explain(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? `${error.message} ${error.cause}` : String(error);
}

async function judgeTask(store: Store, task: CreatedTask, at: number): Promise<readonly string[]> {
  const { id } = task.task;
  const snapshot = await store.getTask(id).catch(explain);
  if (typeof snapshot === "string") return [`${id} cannot be read: ${snapshot}`];
  if (task.deleted !== undefined && wasDone(task.deleted, at))
    return snapshot ? [`${id} came back after its deletion`] : [];
  if (snapshot === undefined) {
    return wasDone(task, at) && !wasAsked(task.deleted, at) ? [`${id} is missing`] : [];
  }
  if (!wasAsked(task, at)) return [`${id} was never made`];
  return [
    ...judgeRecord(task, snapshot.record, at),
    ...judgeSignals(task, snapshot, at),
    ...(await judgeArtifacts(store, snapshot.record)),
    ...(await judgeEvents(store, task, snapshot.record)),
    ...(await judgeCall(store, task, snapshot, at)),
  ];
}

function judgeRecord({ events }: CreatedTask, record: TaskRecord, at: number): readonly string[] {
  const written = [...events.values()].filter((event) => event.seq <= record.lastSeq);
  const acknowledged = Math.max(0, ...[...events.values()].filter((event) => wasDone(event, at)).map(({ seq }) => seq));
  if (record.lastSeq < acknowledged)
    return [`${record.id} ends at ${record.lastSeq} of ${acknowledged} acknowledged events`];
  if (written.length !== record.lastSeq || written.some((event) => !wasAsked(event, at))) {
    return [`${record.id} has ${record.lastSeq} events, some of which no writer wrote`];
  }
  const expected = reduceTask(undefined, written.sort((left, right) => left.seq - right.seq).map(plain));
  return isDeepStrictEqual(toJson(expected), toJson(record)) ? [] : [`${record.id} is not what its events make of it`];
}

function plain({ askedAt: _, doneAt: __, ...event }: TaskEvent & Moments): TaskEvent {
  return event as TaskEvent;
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A signal that was acknowledged is pending, or a commit that was asked for carried it out. */
function judgeSignals({ task, signals, consumed }: CreatedTask, snapshot: TaskSnapshot, at: number): readonly string[] {
  const isStateRequest = (kind: string) => kind === "pause" || kind === "resume";
  return signals
    .filter((sent) => wasDone(sent, at))
    .filter(({ signal, askedAt }, place) => {
      const same = (other: { readonly kind: string; readonly key?: string }) =>
        signal.kind === "answer" ? other.key === signal.key : other.kind === signal.kind;
      const isReplaced = signals
        .slice(place + 1)
        .some((later) => isStateRequest(later.signal.kind) && wasAsked(later, at));
      if (isStateRequest(signal.kind) && isReplaced) return false;
      const isCarriedOut = consumed.some(
        (entry) => same(entry.signal) && entry.askedAt >= askedAt && wasAsked(entry, at),
      );
      return !isCarriedOut && !snapshot.signals.some(same);
    })
    .map(({ signal }) => `${task.id} lost the signal ${signal.kind}`);
}

/** What an event names is whole (G1). */
async function judgeArtifacts(store: Store, record: TaskRecord): Promise<readonly string[]> {
  const isWhole = async (artifact: string) => {
    const chunks = await Promise.all(artifactChunks.map((_, place) => store.readChunk(record.id, artifact, place)));
    return artifactChunks.every(
      (chunk, place) => chunks[place] !== undefined && Buffer.compare(chunks[place], chunk) === 0,
    );
  };
  const found = artifactsOf(record).map(async ({ artifact }) =>
    (await isWhole(artifact).catch(() => false)) ? [] : [`${record.id} lost a part of its artifact`],
  );
  return (await Promise.all(found)).flat();
}

async function judgeEvents(
  store: Store,
  { task, events }: CreatedTask,
  record: TaskRecord,
): Promise<readonly string[]> {
  const page = await store.readEvents(task.id, { afterSeq: 0, limit: maxEvents });
  const first = page.snapshot?.lastSeq ?? 0;
  const isInOrder = page.events.every((event, place) => event.seq === first + place + 1);
  const isWritten = page.events.every((event) => {
    const asked = events.get(event.seq);
    return asked !== undefined && isDeepStrictEqual(toJson(plain(asked)), toJson(event));
  });
  if (!isInOrder || !isWritten || page.lastSeq !== record.lastSeq)
    return [`${task.id} has other events than were written`];
  const { items } = await store.readItems(task.id, { after: 0, limit: maxEvents });
  const isCounted = items.every((item, place) => item === place + 1);
  return items.length === record.itemCount && isCounted ? [] : [`${task.id} has the items ${JSON.stringify(items)}`];
}

/** The same call gets its unfinished task (G7). */
async function judgeCall(store: Store, { task, ...moments }: CreatedTask, { record }: TaskSnapshot, at: number) {
  if (!wasDone(moments, at) || isFinal(record.status)) return [];
  const again = { ...task, id: `${task.id}-again` };
  const { snapshot } = await store.createTask({ task: again, reuseResultMs: 0, now });
  return snapshot.record.id === task.id ? [] : [`the call of ${task.id} made a second task`];
}

async function judgeSession(store: Store, puts: readonly PutSession[], at: number): Promise<readonly string[]> {
  const id = puts[0]?.session.id ?? "";
  const found = await store.getDocument("session", id);
  const acknowledged = Math.max(0, ...puts.filter((put) => wasDone(put, at)).map(({ session }) => session.version));
  if ((found?.version ?? 0) < acknowledged) return [`${id} is at version ${found?.version ?? 0} of ${acknowledged}`];
  const written = puts.filter((put) => wasAsked(put, at)).map(({ session }) => session);
  return found === undefined || written.some((session) => isDeepStrictEqual(session, toJson(found)))
    ? []
    : [`${id} is not what was put`];
}

/** Lists and counts show each task once, with its status. */
async function judgeLists(store: Store, { tasks }: Ledger, at: number): Promise<readonly string[]> {
  const { tasks: listed } = await store.listTasks({ limit: maxListed });
  const problems: string[] = [];
  for (const { task, deleted, ...moments } of tasks.values()) {
    const entries = listed.filter(({ id }) => id === task.id);
    const snapshot = await store.getTask(task.id).catch(() => undefined);
    if (entries.length > 1) problems.push(`${task.id} is listed ${entries.length} times`);
    if (!wasDone(moments, at) || wasAsked(deleted, at)) continue;
    if (entries.length === 0) problems.push(`${task.id} is in no list`);
    const isFinished = snapshot !== undefined && isFinal(snapshot.record.status);
    if (isFinished && entries[0]?.status !== snapshot.record.status)
      problems.push(`${task.id} is listed as ${entries[0]?.status}`);
  }
  const { total } = await store.countTasks({});
  return total === listed.length ? problems : [...problems, `${total} tasks are counted and ${listed.length} listed`];
}
