/** A signal as a task's row holds it. */
export interface SignalValue {
  readonly i: string;
  readonly k: string;
  readonly q?: string;
  readonly b?: string;
}

/** A row of `task`. Keys that are bytes in PostgreSQL are hexadecimal here. */
export interface TaskRow {
  readonly id: string;
  readonly incarnation: number;
  readonly owner: string;
  readonly call: string | null;
  readonly claim: number;
  readonly tool: string;
  readonly created_ms: number;
  readonly ttl_ms: number;
  readonly finished_ms: number | null;
  readonly epoch: number;
  readonly holder: string | null;
  readonly lease_ttl_ms: number | null;
  readonly last_seq: number;
  readonly bytes: number;
  readonly chunk_bytes: number;
  readonly status: string;
  readonly terminal: boolean;
  readonly live: boolean;
  readonly pausing: boolean;
  readonly detached: boolean;
  readonly questions: readonly string[];
  readonly runnable_ms: number | null;
  readonly crashes: number;
  readonly tool_version: string;
  readonly items_from_seq: number;
  readonly item_count: number;
  readonly brief: string;
  readonly signals: readonly SignalValue[];
}

/** A row of `journal`: one commit. */
export interface JournalRow {
  readonly last_seq: number;
  readonly epoch: number;
  readonly at_ms: number;
  readonly size: number;
  readonly body: string | null;
  readonly items: string | null;
  readonly end_item: number | null;
}

/** A row of `chunk`, of one task. */
interface ChunkRow {
  readonly artifact: string;
  readonly place: number;
  readonly bytes: Uint8Array;
}

interface SnapshotRow {
  readonly seq: number;
  readonly record: string;
  readonly bytes: number;
  readonly compacted_seq: number;
  readonly compacted_bytes: number;
}

interface WorkerRow {
  readonly beat: number;
  readonly offers: string | null;
  readonly locks: boolean;
}

/** A row of `document`, as statements give it. */
export interface DocumentRow {
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  readonly value: string;
  readonly version: number;
  readonly updated_ms: number;
  /** The group in which it is counted. */
  readonly counted_as?: string | null;
}

/** What one change did, so that it can be taken back. */
interface Change {
  readonly atMs: number;
  /** Its statement did not wait for the disk: a crash of the server may take it back. */
  readonly isLazy: boolean;
  /** The task whose history it is a part of. */
  readonly task: string | undefined;
  /** A number of a sequence that was given stays given when its statement fails. */
  readonly isSequence: boolean;
  readonly undo: () => void;
}

/** Changes older than this are on every standby, in milliseconds. */
const keptMs = 10_000;

/** The write-ahead log: what a failed statement, a crash or a fail-over takes back. */
class ChangeLog {
  /** Whether the present statement waits for the disk. */
  isLazy = false;
  #changes: Change[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(undo: () => void, { task, isSequence = false }: { readonly task?: string; readonly isSequence?: boolean }): void {
    const atMs = this.#nowMs();
    this.#changes.push({ atMs, isLazy: this.isLazy, task, isSequence, undo });
    if (this.#changes.length > 5_000) this.#changes = this.#changes.filter((change) => change.atMs > atMs - keptMs);
  }

  get length(): number {
    return this.#changes.length;
  }

  /** Takes back what a failed statement did. */
  abort(from: number): void {
    const changes = this.#changes.splice(from);
    for (const { undo, isSequence } of changes.toReversed()) if (!isSequence) undo();
    this.#changes.push(...changes.filter(({ isSequence }) => isSequence));
  }

  /** Takes back what was not on the disk at a crash. */
  crash(): void {
    for (let last = this.#changes.at(-1); last?.isLazy === true; last = this.#changes.at(-1)) this.#undoLast();
  }

  /** Takes back what happened after a moment. @returns the tasks that lost a part of their history. */
  loseAfter(ms: number): ReadonlySet<string> {
    const lost = new Set<string>();
    for (let last = this.#changes.at(-1); last !== undefined && last.atMs > ms; last = this.#changes.at(-1)) {
      if (last.task !== undefined) lost.add(last.task);
      this.#undoLast();
    }
    return lost;
  }

  #undoLast(): void {
    this.#changes.pop()?.undo();
  }
}

/** Rows by their key. A row is replaced and never changed. */
class Table<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #log: ChangeLog;
  readonly #taskOf: (key: string, before: Row | undefined, after: Row | undefined) => string | undefined;

  constructor(
    log: ChangeLog,
    taskOf: (key: string, before: Row | undefined, after: Row | undefined) => string | undefined = () => undefined,
  ) {
    this.#log = log;
    this.#taskOf = taskOf;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  entries(): readonly (readonly [string, Row])[] {
    return [...this.#rows];
  }

  values(): readonly Row[] {
    return [...this.#rows.values()];
  }

  set(key: string, row: Row): void {
    this.#note(key, row);
    this.#rows.set(key, row);
  }

  delete(key: string): void {
    if (!this.#rows.has(key)) return;
    this.#note(key, undefined);
    this.#rows.delete(key);
  }

  #note(key: string, after: Row | undefined): void {
    const before = this.#rows.get(key);
    const undo = () => void (before === undefined ? this.#rows.delete(key) : this.#rows.set(key, before));
    this.#log.add(undo, { task: this.#taskOf(key, before, after) });
  }
}

/** How many numbers PostgreSQL logs ahead: after a crash or a fail-over a sequence continues behind them. */
const loggedAhead = 32;

class Sequence {
  #last = 0;
  #logged = 0;
  readonly #log: ChangeLog;

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  next(): number {
    this.#last += 1;
    if (this.#last > this.#logged) {
      const before = this.#logged;
      this.#logged = this.#last + loggedAhead;
      this.#log.add(
        () => {
          this.#logged = before;
        },
        { isSequence: true },
      );
    }
    return this.#last;
  }

  recover(): void {
    this.#last = this.#logged;
  }
}

/** The tables of a schema. */
export class Tables {
  readonly log: ChangeLog;
  readonly task: Table<TaskRow>;
  /** By task. */
  readonly journal: Table<readonly JournalRow[]>;
  readonly snapshot: Table<SnapshotRow>;
  readonly chunk: Table<readonly ChunkRow[]>;
  /** The answered questions of each task. */
  readonly answer: Table<readonly string[]>;
  readonly worker: Table<WorkerRow>;
  readonly document: Table<DocumentRow>;
  readonly epoch: Sequence;
  readonly claim: Sequence;

  constructor(nowMs: () => number) {
    const log = new ChangeLog(nowMs);
    this.log = log;
    this.task = new Table<TaskRow>(log, (id, before, after) => (isSameHistory(before, after) ? undefined : id));
    this.journal = new Table<readonly JournalRow[]>(log, (id) => id);
    this.snapshot = new Table<SnapshotRow>(log);
    this.chunk = new Table<readonly ChunkRow[]>(log);
    this.answer = new Table<readonly string[]>(log, (id) => id);
    this.worker = new Table<WorkerRow>(log);
    this.document = new Table<DocumentRow>(log);
    this.epoch = new Sequence(log);
    this.claim = new Sequence(log);
  }

  /** The server starts again after a crash, or another one takes its place. */
  recover(): void {
    this.epoch.recover();
    this.claim.recover();
  }
}

/** Whether two versions of a row differ in the lease only. */
function isSameHistory(before: TaskRow | undefined, after: TaskRow | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const { epoch, holder, lease_ttl_ms } = after;
  return JSON.stringify({ ...before, epoch, holder, lease_ttl_ms }) === JSON.stringify(after);
}
