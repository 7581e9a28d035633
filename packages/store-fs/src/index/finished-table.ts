import type { TaskStatus } from "@resumable-mcp/core";
import { isIntact, type RawLine } from "../disk/checked-line.js";
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

/** Where the line of a task is. */
export interface LinePlace {
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

/** What the lines of finished tasks say, by columns: an object for each task would take twice the memory. */
export class FinishedTable {
  /** How far each file was read. */
  readonly files = new Map<string, number>();
  /** A line is not what was written there. */
  isDamaged = false;
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

  /** Adds what a line of a file says. */
  add(name: string, line: RawLine): void {
    this.files.set(name, line.next);
    this.#lines += 1;
    const head = readHead(line);
    const said = head ?? parseFinished(line);
    if (said === undefined) {
      if (!isIntact(line.bytes)) this.isDamaged = true;
      return;
    }
    const known = this.#rows.get(said.incarnation);
    const isKnown = known !== undefined;
    const seq = isKnown ? (this.#seqs[known] ?? 0) : 0;
    // Of two lines the one with the higher seq counts, and the one that says that the task was deleted.
    if (isKnown && (seq > said.seq || (seq === said.seq && this.#statuses[known] === undefined))) return;
    if (isKnown && this.#statuses[known] !== undefined) this.#counted -= 1;
    if (head !== undefined) this.#counted += 1;
    const row = known ?? this.#statuses.length;
    if (!isKnown) {
      const incarnation = copied(said.incarnation);
      this.#incarnations[row] = incarnation;
      this.#rows.set(incarnation, row);
    }
    this.#put(row, name, line, head ?? { ...nothing, id: said.id, incarnation: said.incarnation, seq: said.seq });
  }

  #put(row: number, name: string, line: RawLine, head: Omit<FinishedHead, "status"> & { status?: TaskStatus }): void {
    this.#ids[row] = copied(head.id);
    this.#owners[row] = this.#shared(head.owner);
    this.#tools[row] = this.#shared(head.tool);
    this.#statuses[row] = head.status;
    this.#created[row] = Date.parse(head.createdAt);
    this.#finished[row] = Date.parse(head.finishedAt ?? head.createdAt);
    this.#ttls[row] = head.ttlMs;
    this.#seqs[row] = head.seq;
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

/** What a line does not say that tells that a task was deleted. */
const nothing = { owner: "", tool: "", createdAt: "1970-01-01T00:00:00.000Z", ttlMs: 0 };

/** A part of a text keeps the whole in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
