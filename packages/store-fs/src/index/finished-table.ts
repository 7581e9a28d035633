import type { TaskStatus } from "@resumable-mcp/core";
import { isIntact, type RawLine } from "../disk/checked-line.js";
import { type FinishedHead, readHead } from "./finished-line.js";

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

/** Where the line of a task is. */
export interface LinePlace {
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

/** What was read of a file. */
interface FileState {
  /** How far it was read. */
  end: number;
  lines: number;
  /** A line is not what was written there. */
  isDamaged: boolean;
}

/** What the lines of finished tasks say, by columns: an object for each task would take twice the memory. */
export class FinishedTable {
  readonly #files = new Map<string, FileState>();
  #lines = 0;
  #counted = 0;
  /** By incarnation. */
  readonly #rows = new Map<string, number>();
  /** Texts that many tasks share. */
  readonly #texts = new Map<string, string>();
  readonly #ids: string[] = [];
  readonly #incarnations: string[] = [];
  readonly #owners: string[] = [];
  readonly #tools: string[] = [];
  /** `undefined`: it was deleted. */
  readonly #statuses: (TaskStatus | undefined)[] = [];
  readonly #created: number[] = [];
  readonly #finished: number[] = [];
  readonly #ttls: number[] = [];
  readonly #seqs: number[] = [];
  readonly #names: string[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  /** Rows of deleted tasks that another line lists as finished. */
  readonly #listed = new Set<number>();

  /** What was read, by the name of its file. */
  get files(): ReadonlyMap<string, Readonly<FileState>> {
    return this.#files;
  }

  /** A line is not what was written there. */
  get isDamaged(): boolean {
    return [...this.files.values()].some(({ isDamaged }) => isDamaged);
  }

  /** This part of all lines counts no more. */
  get deadPart(): number {
    return this.#lines === 0 ? 0 : 1 - this.#counted / this.#lines;
  }

  /** The rows of an owner's tasks, or of all, those that were listed last first; without tasks that were deleted. */
  *rows(owner: string | undefined, except: ReadonlySet<number | undefined>): Generator<number> {
    for (let row = this.#statuses.length - 1; row >= 0; row -= 1) {
      if (this.#statuses[row] === undefined || (owner !== undefined && this.#owners[row] !== owner)) continue;
      if (!except.has(row)) yield row;
    }
  }

  rowOf(incarnation: string): number | undefined {
    return this.#rows.get(incarnation);
  }

  /** The seq with which a task finished; 0 where nothing is known of that. */
  endOf(incarnation: string): number {
    const row = this.#rows.get(incarnation);
    return row === undefined || this.#statuses[row] === undefined ? 0 : (this.#seqs[row] ?? 0);
  }

  createdMs(row: number): number {
    return this.#created[row] ?? 0;
  }

  at(row: number): FinishedTask {
    return {
      row,
      id: this.#ids[row] ?? "",
      incarnation: this.#incarnations[row] ?? "",
      owner: this.#owners[row] ?? "",
      tool: this.#tools[row] ?? "",
      status: this.#statuses[row] ?? "cancelled",
      createdMs: this.#created[row] ?? 0,
      finishedMs: this.#finished[row] ?? 0,
      ttlMs: this.#ttls[row] ?? 0,
      seq: this.#seqs[row] ?? 0,
    };
  }

  placeOf(row: number): LinePlace {
    return { name: this.#names[row] ?? "", start: this.#starts[row] ?? 0, length: this.#lengths[row] ?? 0 };
  }

  /** Ids of all tasks that are listed. */
  ids(): ReadonlySet<string> {
    return new Set(this.#ids.filter((_, row) => this.#statuses[row] !== undefined));
  }

  /**
   * Where the lines begin that count, by file. The line that says that a task was deleted is needed as long as another one
   * says that it finished.
   */
  neededLines(): ReadonlyMap<string, ReadonlySet<number>> {
    const needed = new Map([...this.files.keys()].map((name) => [name, new Set<number>()]));
    for (const [row, name] of this.#names.entries()) {
      const isNeeded = this.#statuses[row] !== undefined || this.#listed.has(row);
      if (isNeeded) needed.get(name)?.add(this.#starts[row] ?? 0);
    }
    return needed;
  }

  /** Adds what a line of a file says. */
  add(name: string, line: RawLine): void {
    const isWhole = isIntact(line.bytes);
    const file = this.#fileOf(name);
    file.end = line.next;
    file.lines += 1;
    file.isDamaged ||= !isWhole;
    this.#lines += 1;
    const head = isWhole ? readHead(line) : undefined;
    if (head === undefined) return;
    const known = this.#rows.get(head.incarnation);
    const row = known ?? this.#statuses.length;
    const seq = this.#seqs[row] ?? 0;
    const wasListed = this.#statuses[row] !== undefined;
    // Of two lines the one with the higher seq counts, and the one that says that the task was deleted.
    const isOlder = known !== undefined && (seq > head.seq || (seq === head.seq && !wasListed));
    if (!isOlder) this.#put(row, name, line, head);
    const isListed = this.#statuses[row] !== undefined;
    this.#counted += Number(isListed) - Number(wasListed);
    if (!isListed && (wasListed || head.chosenBy !== undefined)) this.#listed.add(row);
  }

  #fileOf(name: string): FileState {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const file = { end: 0, lines: 0, isDamaged: false };
    this.#files.set(name, file);
    return file;
  }

  #put(row: number, name: string, line: RawLine, { id, seq, incarnation, chosenBy }: FinishedHead): void {
    const { owner = "", tool = "", status, createdAt = "", finishedAt = createdAt, ttlMs = 0 } = chosenBy ?? {};
    if (this.#incarnations[row] === undefined) {
      this.#incarnations[row] = copied(incarnation);
      this.#rows.set(this.#incarnations[row], row);
    }
    this.#ids[row] = copied(id);
    this.#owners[row] = this.#shared(owner);
    this.#tools[row] = this.#shared(tool);
    this.#statuses[row] = status;
    this.#created[row] = Date.parse(createdAt);
    this.#finished[row] = Date.parse(finishedAt);
    this.#ttls[row] = ttlMs;
    this.#seqs[row] = seq;
    this.#names[row] = name;
    this.#starts[row] = line.start;
    this.#lengths[row] = line.next - line.start - 1;
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const own = copied(text);
    this.#texts.set(own, own);
    return own;
  }
}

/** A part of a text keeps the whole in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
