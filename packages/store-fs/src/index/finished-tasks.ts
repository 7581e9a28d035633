import { join } from "node:path";
import { isFinal, type TaskStatus } from "@resumable-mcp/core";
import type { TaskSummary } from "@resumable-mcp/core/store";
import { isIntact, type RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, openIfExists, readRange } from "../disk/whole-file.js";
import type { Reading } from "../journal/task-view.js";
import { type FinishedHead, parseFinished, readHead } from "./finished-line.js";

/** What is known of a finished task. */
export interface FinishedTask {
  readonly row: number;
  readonly id: string;
  readonly incarnation: string;
  readonly owner: string;
  readonly tool: string;
  readonly status: TaskStatus;
  readonly createdMs: number;
  readonly finishedMs: number;
  readonly ttlMs: number;
  readonly seq: number;
}

/** Lines are worth being left out when this part of all counts no more. */
const deadPart = 1 / 4;

/** The tasks by columns: an object for each would take twice the memory. */
class Columns {
  readonly ids: string[] = [];
  readonly incarnations: string[] = [];
  readonly owners: string[] = [];
  readonly tools: string[] = [];
  /** `undefined`: it was deleted. */
  readonly statuses: (TaskStatus | undefined)[] = [];
  readonly created: number[] = [];
  readonly finished: number[] = [];
  readonly ttls: number[] = [];
  readonly seqs: number[] = [];
  /** Where the line is. */
  readonly names: string[] = [];
  readonly starts: number[] = [];
  readonly lengths: number[] = [];
}

/**
 * The finished tasks, in memory: each list reads what was appended to the files of `done/` since the one before. Where a file was
 * rewritten, all are read again.
 */
export class FinishedTasks {
  readonly #context: StoreContext;
  /** How far each file was read. */
  readonly #files = new Map<string, number>();
  #columns = new Columns();
  readonly #rows = new Map<string, number>();
  /** Texts that many tasks share. */
  readonly #texts = new Map<string, string>();
  #lines = 0;
  #counted = 0;
  #isDamaged = false;
  #reading: Promise<unknown> = Promise.resolve();
  /** Of the store's folder when the lists were read: it changes when one of them is made again. */
  #state: string | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Reads what was written before this call. */
  refresh(): Promise<void> {
    const result = this.#reading.then(() => this.#readNew());
    this.#reading = result.catch(() => undefined);
    return result;
  }

  /** The rows of an owner's tasks, or of all, those that were listed last first; without tasks that were deleted. */
  *rows(owner: string | undefined, except: ReadonlySet<number | undefined>): Generator<number> {
    const { owners, statuses } = this.#columns;
    for (let row = statuses.length - 1; row >= 0; row -= 1) {
      if (statuses[row] === undefined || (owner !== undefined && owners[row] !== owner)) continue;
      if (!except.has(row)) yield row;
    }
  }

  rowOf(incarnation: string): number | undefined {
    return this.#rows.get(incarnation);
  }

  createdMs(row: number): number {
    return this.#columns.created[row] ?? 0;
  }

  at(row: number): FinishedTask {
    const { ids, incarnations, owners, tools, statuses, created, finished, ttls, seqs } = this.#columns;
    return {
      row,
      id: ids[row] ?? "",
      incarnation: incarnations[row] ?? "",
      owner: owners[row] ?? "",
      tool: tools[row] ?? "",
      status: statuses[row] ?? "cancelled",
      createdMs: created[row] ?? 0,
      finishedMs: finished[row] ?? 0,
      ttlMs: ttls[row] ?? 0,
      seq: seqs[row] ?? 0,
    };
  }

  /** Lines are damaged, or many count no more. */
  get isWorthRewriting(): boolean {
    return this.#isDamaged || this.#lines - this.#counted > deadPart * this.#lines;
  }

  /**
   * The seq of the event with which the lists say that a task finished; 0 where they have no need to be asked, or know nothing.
   *
   * A line is written after the final event is as safe as it is going to be. A journal that ends before has lost its end: the
   * task must not run again, though all that is left of its journal is sound.
   */
  async endOf({ view, folder }: Reading): Promise<number> {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.#context;
    const state = disk.identify(layout.directory)?.state;
    // A process that died between line and marker leaves both, and markers that are made again do.
    const isKnown = state === this.#state && disk.exists(join(layout.open, record.id));
    if (!isKnown) {
      await this.refresh();
      this.#state = state;
    }
    const row = this.#rows.get(header.incarnation);
    return row === undefined || this.#columns.statuses[row] === undefined ? 0 : (this.#columns.seqs[row] ?? 0);
  }

  /** What the line of a task says; `undefined` where it is not there any more. */
  summaryOf({ row, incarnation }: FinishedTask): TaskSummary | undefined {
    const { disk, layout } = this.#context;
    const { names, starts, lengths } = this.#columns;
    const [start = 0, length = 0] = [starts[row], lengths[row]];
    const file = openIfExists(disk, join(layout.done, names[row] ?? ""));
    if (file === undefined) return undefined;
    try {
      const line = parseFinished({ bytes: readRange(disk, file, start, length), start, next: start + length + 1 });
      return line?.incarnation === incarnation ? line.summary : undefined;
    } finally {
      disk.close(file);
    }
  }

  async #readNew(): Promise<void> {
    const { disk, layout } = this.#context;
    for (let isWhole = false; !isWhole; ) {
      const names = (listIfExists(disk, layout.done) ?? []).filter((name) => name.endsWith(".jsonl"));
      // One that is taken over meanwhile has another name now.
      const sizes = new Map(names.map((name) => [name, disk.stat(join(layout.done, name))?.size ?? -1]));
      if ([...this.#files].some(([name, read]) => (sizes.get(name) ?? -1) < read)) this.#clear();
      isWhole = ![...sizes.values()].includes(-1);
      for (const [name, size] of sizes) {
        if (size > (this.#files.get(name) ?? 0)) isWhole = (await this.#readFile(name)) && isWhole;
      }
    }
  }

  #clear(): void {
    for (const part of [this.#files, this.#rows, this.#texts]) part.clear();
    this.#columns = new Columns();
    this.#lines = 0;
    this.#counted = 0;
    this.#isDamaged = false;
  }

  /** @returns false when the file was taken over or removed since it was listed. */
  async #readFile(name: string): Promise<boolean> {
    const pages = fileLines(this.#context.disk, join(this.#context.layout.done, name), this.#files.get(name) ?? 0);
    if (pages === undefined) return false;
    for await (const lines of pages) {
      for (const line of lines) {
        this.#files.set(name, line.next);
        this.#add(name, line);
      }
    }
    return true;
  }

  #add(name: string, line: RawLine): void {
    this.#lines += 1;
    const head = readHead(line);
    const said = head ?? parseFinished(line);
    if (said === undefined) {
      if (!isIntact(line.bytes)) this.#isDamaged = true;
      return;
    }
    const { statuses, seqs } = this.#columns;
    const known = this.#rows.get(said.incarnation);
    const isKnown = known !== undefined;
    const seq = isKnown ? (seqs[known] ?? 0) : 0;
    // Of two lines the one with the higher seq counts, and the one that says that the task was deleted.
    if (isKnown && (seq > said.seq || (seq === said.seq && statuses[known] === undefined))) return;
    if (isKnown && statuses[known] !== undefined) this.#counted -= 1;
    if (head !== undefined) this.#counted += 1;
    const row = known ?? statuses.length;
    if (!isKnown) {
      const incarnation = copied(said.incarnation);
      this.#columns.incarnations[row] = incarnation;
      this.#rows.set(incarnation, row);
    }
    this.#put(row, name, line, head ?? { ...nothing, id: said.id, incarnation: said.incarnation, seq: said.seq });
  }

  #put(row: number, name: string, line: RawLine, head: Omit<FinishedHead, "status"> & { status?: TaskStatus }): void {
    const columns = this.#columns;
    columns.ids[row] = copied(head.id);
    columns.owners[row] = this.#shared(head.owner);
    columns.tools[row] = this.#shared(head.tool);
    columns.statuses[row] = head.status;
    columns.created[row] = Date.parse(head.createdAt);
    columns.finished[row] = Date.parse(head.finishedAt ?? head.createdAt);
    columns.ttls[row] = head.ttlMs;
    columns.seqs[row] = head.seq;
    columns.names[row] = name;
    columns.starts[row] = line.start;
    columns.lengths[row] = line.next - line.start - 1;
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const own = copied(text);
    this.#texts.set(own, own);
    return own;
  }
}

/** What a line does not say that tells that a task was deleted. */
const nothing = { owner: "", tool: "", createdAt: "1970-01-01T00:00:00.000Z", ttlMs: 0 };

/** A part of a text keeps the whole in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
