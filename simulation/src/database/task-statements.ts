import { isLeased, type Standing } from "./standing.js";
import { type Backend, breaks, hex, type Statement, statement } from "./statement.js";
import type { SignalValue, Tables, TaskRow } from "./tables.js";

type Bytes = Uint8Array;

const create = statement<
  [
    ...[id: string, owner: Bytes, call: Bytes | null, tool: string, toolVersion: string, detached: boolean],
    ...[ttlMs: number, brief: string, body: string, bytes: number, nowMs: number, reuseMs: number],
    ...[continueFailed: boolean, maxTasks: number | null, maxBytes: number | null],
    ...[maxUnfinished: number | null, alone: boolean, acceptedMs: number | null],
  ]
>(({ tables }, values) => {
  const [id, owner, callBytes, tool, tool_version, detached, ttl_ms, brief, body, bytes, created_ms] = values;
  const [reuseMs, continueFailed, maxTasks, maxBytes] = [values[11], values[12], values[13], values[14]];
  const [maxUnfinished, alone, acceptedMs] = [values[15], values[16], values[17]];
  const call = hex(callBytes);
  const unfinished = maxUnfinished === null ? null : unfinishedOf(tables, hex(owner), maxUnfinished);
  const nothing = { made: false, held_tasks: null, held_bytes: null, unfinished: null, made_as: null };
  const standing =
    tables.task.get(id) ?? standingOf(tables, call, { nowMs: created_ms, reuseMs, acceptedMs, continueFailed });
  if (standing !== undefined) return [{ ...nothing, standing: standing.id }];
  if (unfinished !== null && maxUnfinished !== null && unfinished >= maxUnfinished - (alone ? 0 : maxConnections))
    return [{ ...nothing, standing: null, unfinished }];
  const { tasks: held_tasks, bytes: held_bytes } = heldIn(tables);
  if (maxTasks !== null && held_tasks >= maxTasks) return [{ ...nothing, standing: null, held_tasks }];
  if (maxBytes !== null && held_bytes >= maxBytes) return [{ ...nothing, standing: null, held_bytes }];
  const incarnation = tables.claim.next();
  checkOneUnfinished(tables, { id, call, finished_ms: null });
  tables.task.set(id, {
    ...{ id, incarnation, owner: hex(owner), call, claim: incarnation, tool, created_ms, ttl_ms, finished_ms: null },
    ...{
      epoch: 0,
      holder: null,
      lease_ttl_ms: null,
      last_seq: 1,
      bytes,
      chunk_bytes: 0,
      status: "pending",
      terminal: false,
    },
    ...{ live: false, pausing: false, detached, questions: [], runnable_ms: null, crashes: 0, tool_version },
    ...{ items_from_seq: 1, item_count: 0, brief, signals: [] },
  });
  tables.journal.set(id, [
    { last_seq: 1, epoch: 0, at_ms: created_ms, size: bytes, body, items: null, end_item: null },
  ]);
  return [{ ...nothing, made: true, standing: id, made_as: incarnation }];
});

const held = statement<[]>(({ tables }) => [heldIn(tables)]);

function heldIn({ task }: Tables): { readonly tasks: number; readonly bytes: number } {
  const all = task.values();
  return { tasks: all.length, bytes: all.reduce((sum, row) => sum + row.bytes + row.chunk_bytes, 0) };
}

/** Of the server: so near to a limit tasks are made one after the other. */
const maxConnections = 100;

/** How many unfinished tasks an owner has, up to a limit. */
export function unfinishedOf(tables: Tables, owner: string, max: number): number {
  const unfinished = tables.task.values().filter((row) => row.owner === owner && row.finished_ms === null);
  return Math.min(unfinished.length, Math.ceil(max));
}

/** The newest task of a call, where the call has no need of another one. */
function standingOf(
  tables: Tables,
  call: string | null,
  {
    nowMs,
    reuseMs,
    acceptedMs,
    continueFailed,
  }: {
    readonly nowMs: number;
    readonly reuseMs: number;
    readonly acceptedMs: number | null;
    readonly continueFailed: boolean;
  },
): TaskRow | undefined {
  if (call === null) return undefined;
  const [newest] = tables.task
    .values()
    .filter((row) => row.call === call)
    .toSorted((one, other) => other.claim - one.claim);
  if (newest === undefined || newest.finished_ms === null) return newest;
  const { status, finished_ms, terminal } = newest;
  const isYoung = finished_ms + reuseMs > nowMs && !hasSignal(newest, "delivered");
  const isReusable = status === "completed" && (isYoung || (acceptedMs !== null && finished_ms > acceptedMs));
  return isReusable || (continueFailed && status === "failed" && !terminal) ? newest : undefined;
}

function checkOneUnfinished(tables: Tables, row: Pick<TaskRow, "id" | "call" | "finished_ms">): void {
  if (row.call === null || row.finished_ms !== null) return;
  const isRival = (other: TaskRow) => other.call === row.call && other.finished_ms === null && other.id !== row.id;
  if (tables.task.values().some(isRival)) throw breaks("task_one_unfinished");
}

/** Whether a task has a pending signal of a kind. */
export function hasSignal({ signals }: TaskRow, kind: string): boolean {
  return signals.some(({ k }) => k === kind);
}

/** Which commit ends at a place of a task's journal. */
function markAt(tables: Tables, { id, incarnation }: TaskRow, seq: number): string {
  const row = tables.journal.get(id)?.find(({ last_seq }) => last_seq === seq);
  return (row === undefined ? [incarnation] : [incarnation, row.epoch, row.size, row.at_ms]).join(":");
}

/** What a process learns of a task: all of it, or what is behind what it knows. */
function readingOf(tables: Tables, task: TaskRow, knownMark: string, knownSeq: number) {
  const { id, last_seq, bytes, holder, epoch, lease_ttl_ms, signals } = task;
  const known = knownMark === markAt(tables, task, knownSeq) && knownSeq <= last_seq ? knownSeq : 0;
  const snapshot = tables.snapshot.get(id);
  const from = Math.max(known, snapshot?.seq ?? 0);
  const rows = last_seq > known ? (tables.journal.get(id) ?? []).filter((row) => row.last_seq > from) : [];
  return {
    ...{ id, incarnation: task.incarnation, last_seq, bytes, holder, epoch, lease_ttl_ms, signals },
    beat: (holder === null ? undefined : tables.worker.get(holder)?.beat) ?? null,
    snapshot_seq: snapshot?.seq ?? null,
    snapshot_bytes: snapshot?.bytes ?? null,
    compacted_bytes: snapshot?.compacted_bytes ?? null,
    known_seq: known,
    mark: known < last_seq ? markAt(tables, task, last_seq) : null,
    record: snapshot !== undefined && known < snapshot.seq ? snapshot.record : null,
    bodies: rows.length === 0 ? null : rows.map(({ body }) => body),
  };
}

const read = statement<[ids: readonly string[], marks: readonly string[], seqs: readonly number[]]>(
  ({ tables }, [ids, marks, seqs]) =>
    ids.flatMap((id, place) => {
      const task = tables.task.get(id);
      return task === undefined ? [] : [readingOf(tables, task, marks[place] ?? "", seqs[place] ?? 0)];
    }),
);

const acquire = statement<
  [
    ...[id: string, mark: string, seq: number, holder: string, ttlMs: number, beat: number, givenUp: number],
    ...Standing,
  ]
>(({ tables }, [id, mark, seq, holder, lease_ttl_ms, beat, givenUp, ...standing]) => {
  const task = tables.task.get(id);
  if (task === undefined) return [];
  // What the statement reads is of before what it does.
  const reading = readingOf(tables, task, mark, seq);
  if (isLeased(tables, task, standing) && task.epoch !== givenUp) {
    return [{ ...reading, taken_epoch: null, taken_seq: null, taken_signals: null }];
  }
  const epoch = tables.epoch.next();
  tables.task.set(id, { ...task, epoch, holder, lease_ttl_ms });
  tables.worker.set(holder, { offers: null, locks: false, ...tables.worker.get(holder), beat });
  return [{ ...reading, taken_epoch: epoch, taken_seq: task.last_seq, taken_signals: task.signals }];
});

const release = statement<[id: string, epoch: number, holder: string]>(({ tables }, [id, epoch, holder]) => {
  const task = tables.task.get(id);
  if (task?.epoch !== epoch || task.holder !== holder) return [];
  tables.task.set(id, { ...task, holder: null });
  return [{ id }];
});

const releaseAll = statement<[holders: readonly string[]]>(({ tables }, [holders]) => {
  const held = tables.task.values().filter(({ holder }) => holder !== null && holders.includes(holder));
  for (const task of held) tables.task.set(task.id, { ...task, holder: null });
  return held.map(({ id }) => ({ id }));
});

const ownLeases = statement<[holders: readonly string[]]>(({ tables }, [holders]) =>
  tables.task
    .values()
    .filter(({ holder }) => holder !== null && holders.includes(holder))
    .map(({ id, epoch, holder }) => ({ id, epoch, holder })),
);

/** Adds a signal to a task, unless one of its kind is there; of a kind and its opposite the newest counts. */
const signal = statement<[id: string, kind: string, opposite: string | null, added: string]>(
  ({ tables }, [id, kind, opposite, added]) => {
    const task = tables.task.get(id);
    if (task === undefined) return [];
    const values: readonly SignalValue[] = JSON.parse(added);
    const others = opposite === null ? task.signals : task.signals.filter(({ k }) => k !== kind && k !== opposite);
    const isThere = opposite === null && hasSignal(task, kind);
    tables.task.set(id, { ...task, signals: isThere ? task.signals : [...others, ...values] });
    return [{ id }];
  },
);

type AnswerRow = [id: string, added: string, question: string, generation: number | null];

const answer = statement<AnswerRow>(({ tables }, [id, added, question, generation]) => {
  const task = tables.task.get(id);
  if (task === undefined || (generation ?? task.items_from_seq) !== task.items_from_seq) return [];
  const values: readonly SignalValue[] = JSON.parse(added);
  tables.task.set(id, { ...task, signals: [...task.signals, ...values] });
  if (!addAnswer(tables, id, `${task.items_from_seq}/${question}`)) throw breaks("answer_pkey");
  return [{ task: id }];
});

/** @returns whether it was not there. */
export function addAnswer(tables: Tables, id: string, question: string): boolean {
  const answers = tables.answer.get(id) ?? [];
  if (answers.includes(question)) return false;
  tables.answer.set(id, [...answers, question]);
  return true;
}

const why = statement<[id: string]>(({ tables }, [id]) => {
  const task = tables.task.get(id);
  return task === undefined ? [] : [{ last_seq: task.last_seq, epoch: task.epoch, holder: task.holder }];
});

const rival = statement<[call: Bytes | null, id: string]>(({ tables }, [callBytes, id]) => {
  const call = hex(callBytes);
  const rivals = tables.task.values().filter((row) => row.call === call && row.finished_ms === null && row.id !== id);
  return call === null ? [] : rivals.map((row) => ({ id: row.id }));
});

const remove = statement<[id: string, epoch: number, holder: string]>(({ tables }, [id, epoch, holder]) => {
  const task = tables.task.get(id);
  if (task?.epoch !== epoch || task.holder !== holder) return [];
  for (const table of [tables.task, tables.journal, tables.snapshot, tables.answer, tables.chunk]) table.delete(id);
  return [{ id }];
});

const chunk = statement<
  [id: string, epoch: number, holder: string, artifact: string, place: number, bytes: Bytes, keep: readonly string[]]
>(({ tables }, [id, epoch, holder, artifact, place, bytes, keep]) => {
  const task = tables.task.get(id);
  if (task?.epoch !== epoch || task.holder !== holder) return [];
  const there = tables.chunk.get(id) ?? [];
  if (there.some((row) => row.artifact === artifact && row.place === place)) throw breaks("chunk_pkey");
  const rows = [...there.filter((row) => place > 0 || keep.includes(row.artifact)), { artifact, place, bytes }];
  tables.chunk.set(id, rows);
  tables.task.set(id, { ...task, chunk_bytes: rows.reduce((sum, row) => sum + row.bytes.byteLength, 0) });
  return [{ id }];
});

const readChunk = statement<[id: string, artifact: string, place: number]>(({ tables }, [id, artifact, place]) => {
  if (tables.task.get(id) === undefined) return [];
  const row = tables.chunk.get(id)?.find((one) => one.artifact === artifact && one.place === place);
  return [{ bytes: row?.bytes ?? null }];
});

const compactMark = statement<[id: string, seq: number, bytes: number]>(({ tables }, [id, seq, bytes]) => {
  const snapshot = tables.snapshot.get(id);
  if (snapshot !== undefined && snapshot.seq > seq && snapshot.compacted_seq < seq)
    tables.snapshot.set(id, { ...snapshot, compacted_seq: seq, compacted_bytes: bytes });
  return [];
});

const compact = statement<[id: string, limit: number]>(({ tables }, [id, limit]) => {
  const rows = tables.journal.get(id) ?? [];
  const compactedSeq = tables.snapshot.get(id)?.compacted_seq ?? 0;
  const old = rows.filter(({ last_seq, body }) => last_seq <= compactedSeq && body !== null).slice(0, limit);
  const kept = rows.flatMap((row) => {
    if (!old.includes(row)) return [row];
    return row.items === null ? [] : [{ ...row, body: null }];
  });
  if (old.length > 0) tables.journal.set(id, kept);
  return [{ rows: old.length }];
});

/** Sees whether a row of `task` may take the place of another. */
export function checkUnique({ tables }: Backend, row: TaskRow): void {
  checkOneUnfinished(tables, row);
}

/** Statements about one task or a few, by the names under which the store prepares them. */
export const taskStatements: { readonly [name: string]: Statement } = {
  create,
  held,
  held_bytes: held,
  read,
  acquire,
  release,
  release_all: releaseAll,
  own_leases: ownLeases,
  signal,
  answer,
  why,
  rival,
  remove,
  chunk,
  read_chunk: readChunk,
  compact_mark: compactMark,
  compact,
};
