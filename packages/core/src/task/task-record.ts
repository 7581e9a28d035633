import type { Json } from "../json.js";
import type { Answer, MapProgress, NewTask, Question, TaskFailure } from "./task-event.js";

/** Status of a task. The last three are final. */
export type TaskStatus = "pending" | "running" | "paused" | "input_required" | "completed" | "failed" | "cancelled";

/** The statuses after which nothing happens any more (unless a failed task is resumed into a new generation). */
export const finalStatuses = ["completed", "failed", "cancelled"] as const satisfies readonly TaskStatus[];

/** One of the final statuses. */
export type FinalStatus = (typeof finalStatuses)[number];

/** The statuses of tasks that are not finished. */
export const unfinishedStatuses = [
  "pending",
  "running",
  "paused",
  "input_required",
] as const satisfies readonly Exclude<TaskStatus, FinalStatus>[];

/** A task that was called, by `task.call`. */
export interface CalledTask {
  readonly child: string;
  readonly tool: string;
}

/** What a verb of a tool left behind under its key. A call `continues` a child that failed in this generation. */
export type Remembered =
  | { readonly kind: "step"; readonly value: Json }
  | { readonly kind: "failed_step"; readonly attempt: number; readonly error: TaskFailure; readonly until?: string }
  | ({ readonly kind: "map" } & Omit<MapProgress, "key">)
  | ({ readonly kind: "call"; readonly calledAt: string; readonly continues?: number } & CalledTask)
  | ({ readonly kind: "returned"; readonly value: Json } & CalledTask)
  | ({ readonly kind: "failed_call"; readonly generation: number; readonly error: TaskFailure } & CalledTask)
  | { readonly kind: "artifact"; readonly artifact: string; readonly mimeType: string; readonly bytes: number }
  | { readonly kind: "sleep"; readonly until: string }
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "answer"; readonly question: Question; readonly answer: Answer };

/** What a task is now: the fold of its journal. Times are ISO 8601 UTC. */
export interface TaskRecord extends NewTask {
  /** As far as the journal knows: a record whose process died still says `running` (see `readStatus`). */
  readonly status: TaskStatus;
  /** What its owner last asked for. */
  readonly desiredState: "run" | "pause";
  /** 1, and one more for every restart. */
  readonly generation: number;
  /** Attempts started so far, in all generations. */
  readonly attempt: number;
  /** An attempt was started and its end was not recorded. */
  readonly live: boolean;
  /** The present or last attempt has committed progress. */
  readonly progressed: boolean;
  /** Attempts in a row that died with their process without any progress. */
  readonly crashes: number;
  /** The processes in which they died: any task that ran there without progress may be the one that killed it. */
  readonly crashedIn?: readonly string[];
  /** The process that runs the present attempt. */
  readonly worker?: string;
  /** Attempts in a row that died with their process while they only waited. Absent: none. */
  readonly deathsInWaits?: number;
  /** Keys of the questions and sleeps that the present attempt waits for while it does nothing else. Absent: none. */
  readonly waitsFor?: readonly string[];
  /** Attempts that failed since the last progress, and were to be retried. */
  readonly failures: number;
  readonly runnableAt?: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly state?: Json;
  /** The version of the tool that left `state`. */
  readonly stateVersion?: string;
  /** The shape of the first state of the code that ran last. */
  readonly stateShape?: string;
  /** The code of this version could not read it, and `message` says so in place of the tool's own message. */
  readonly refused?: { readonly by: string; readonly message?: string };
  /** How many items its checkpoints appended, in this generation. */
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Only items of events from this seq on count: a restart from nothing forgets the earlier ones. */
  readonly itemsFromSeq: number;
  readonly remembered: { readonly [key: string]: Remembered };
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly output?: Json;
  readonly error?: TaskFailure;
  readonly lastSeq: number;
}

/**
 * A request from outside the lease. It stays until a commit consumes it.
 *
 * `pause` and `resume` set one value: the newer replaces the older. So do `delivered` and `undelivered`, which say
 * whether the result of the task reached its caller. A pause because the last caller left has that as its cause. `cancel`,
 * `detach` and `offer` (any process may run the task now: its caller waits elsewhere, or a task that it called has ended)
 * exist at most once. There is
 * at most one `answer` for each key, also after it was consumed, until the task restarts from nothing (`restarted` with `fromState`
 * false, which changes the record's `itemsFromSeq`) and may ask again.
 */
export type Signal = { readonly id: string } & NewSignal;

/** A signal without the id that the store gives it. */
export type NewSignal =
  | { readonly kind: "pause"; readonly cause?: "caller_left" }
  | { readonly kind: "resume" | "cancel" | "detach" | "offer" | "delivered" | "undelivered" }
  | {
      readonly kind: "answer";
      readonly key: string;
      readonly answer: Answer;
      /** That of the record whose question is answered, which may have restarted since; it is not kept. */
      readonly itemsFromSeq?: number;
    };

/** A task as others see it. */
export interface TaskSnapshot {
  readonly record: TaskRecord;
  /** Signals that no commit has consumed yet, oldest first. */
  readonly signals: readonly Signal[];
  /** A live worker holds its lease, as far as this process could tell at the latest `Instant` that it was given. */
  readonly leased: boolean;
}

type Kind = Signal["kind"];

const opposites: { readonly [Name in Kind]?: Kind } = {
  pause: "resume",
  resume: "pause",
  delivered: "undelivered",
  undelivered: "delivered",
};

/**
 * The other side of a signal that is one value with it: of the two only the newest counts, and it replaces the older.
 * `undefined` for a signal without another side. Used by every store.
 */
export function oppositeKind(kind: Kind): Kind | undefined {
  return opposites[kind];
}

/** The part of a record that lists need. */
export type TaskSummary = Pick<
  TaskRecord,
  | "id"
  | "owner"
  | "tool"
  | "label"
  | "status"
  | "progress"
  | "total"
  | "message"
  | "session"
  | "detached"
  | "createdAt"
  | "updatedAt"
  | "finishedAt"
  | "ttlMs"
  | "error"
>;

/** Cuts a record down to what lists need. */
export function summarise(record: TaskRecord, status: TaskStatus): TaskSummary {
  return {
    id: record.id,
    owner: record.owner,
    tool: record.tool,
    label: record.label,
    status,
    progress: record.progress,
    detached: record.detached,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ttlMs: record.ttlMs,
    total: record.total,
    message: record.message,
    session: record.session,
    finishedAt: record.finishedAt,
    error: record.error,
  };
}

/** Tells whether a status is final. */
export function isFinal(status: TaskStatus): status is FinalStatus {
  return finalStatuses.some((final) => final === status);
}

/** What is remembered under a key, if anything is: keys come from tool code, and may be names that every object has. */
export function findEntry({ remembered }: Pick<TaskRecord, "remembered">, key: string): Remembered | undefined {
  return Object.hasOwn(remembered, key) ? remembered[key] : undefined;
}

/** Tells whether the present attempt does nothing but wait, as far as the journal knows. */
export function onlyWaits({ waitsFor = [] }: Pick<TaskRecord, "waitsFor">): boolean {
  return waitsFor.length > 0;
}

/**
 * When the first of the waits of the present attempt is over: wall clock in milliseconds, infinite when only an answer
 * ends it.
 */
export function waitsUntilMs(record: Pick<TaskRecord, "waitsFor" | "remembered">): number {
  const ends = (record.waitsFor ?? []).map((key) => {
    const entry = findEntry(record, key);
    const waits = entry?.kind === "sleep" || entry?.kind === "failed_step";
    const end = waits ? entry.until : entry?.kind === "question" && entry.question.expiresAt;
    return end ? Date.parse(end) : Number.POSITIVE_INFINITY;
  });
  return Math.min(...ends);
}

/** The questions that wait for an answer, by key. */
export function openQuestions(record: TaskRecord): readonly { readonly key: string; readonly question: Question }[] {
  return Object.entries(record.remembered).flatMap(([key, entry]) =>
    entry.kind === "question" ? [{ key, question: entry.question }] : [],
  );
}

/** A file that a task made. */
export interface ArtifactFacts {
  /** Without slashes, backslashes and control characters; neither `.` nor `..`. */
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
}

/** The artifacts of a task, with the names of their chunks in the store. */
export function artifactsOf({
  remembered,
}: Pick<TaskRecord, "remembered">): readonly (ArtifactFacts & { readonly artifact: string })[] {
  return Object.entries(remembered).flatMap(([name, entry]) => {
    if (entry.kind !== "artifact") return [];
    const { artifact, mimeType, bytes } = entry;
    return [{ name, artifact, mimeType, bytes }];
  });
}
