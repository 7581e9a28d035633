import type { TaskRecord } from "./task-record.js";

/** A record that is being folded. */
export type Draft = { -readonly [Key in keyof TaskRecord]: TaskRecord[Key] };

/** Tells whether a record has no fields but those of this version; those of a later one are kept as they are. */
export function isPlainRecord(record: TaskRecord): boolean {
  const plain = copyPlain(record);
  return Object.keys(record).every((name) => Object.hasOwn(plain, name));
}

/** Written out: a spread of one result into the next gives each an object layout of its own, which slows all that uses it. */
export function copyPlain(record: TaskRecord): Draft {
  return {
    id: record.id,
    owner: record.owner,
    tool: record.tool,
    toolVersion: record.toolVersion,
    key: record.key,
    input: record.input,
    session: record.session,
    detached: record.detached,
    ttlMs: record.ttlMs,
    trace: record.trace,
    label: record.label,
    parent: record.parent,
    offeredVersions: record.offeredVersions,
    ownerQuotas: record.ownerQuotas,
    status: record.status,
    desiredState: record.desiredState,
    generation: record.generation,
    attempt: record.attempt,
    live: record.live,
    progressed: record.progressed,
    crashes: record.crashes,
    crashedIn: record.crashedIn,
    worker: record.worker,
    deathsInWaits: record.deathsInWaits,
    waitsFor: record.waitsFor,
    failures: record.failures,
    runnableAt: record.runnableAt,
    progress: record.progress,
    total: record.total,
    message: record.message,
    state: record.state,
    stateVersion: record.stateVersion,
    stateShape: record.stateShape,
    refused: record.refused,
    itemCount: record.itemCount,
    itemBytes: record.itemBytes,
    itemsFromSeq: record.itemsFromSeq,
    remembered: record.remembered,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    output: record.output,
    error: record.error,
    lastSeq: record.lastSeq,
  } satisfies { [Name in keyof Required<TaskRecord>]: TaskRecord[Name] };
}
