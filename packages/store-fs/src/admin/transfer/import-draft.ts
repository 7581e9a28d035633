import { join } from "node:path";
import type { Json, TaskEvent, TaskRecord } from "@resumable-mcp/core";
import { reduceTask, type Signal } from "@resumable-mcp/core/store";
import { encodeLine } from "../../disk/checked-line.js";
import { journalName, layoutVersion, taskFolder } from "../../disk/layout.js";
import type { StoreContext } from "../../disk/store-context.js";
import { appendAll, createFile, syncPath } from "../../disk/whole-file.js";
import type { ChainEntry, ItemSegment, JournalHeader } from "../../journal/journal-line.js";
import { answerFile } from "../../task/task-signals.js";

interface Part {
  readonly file: number;
  readonly header: JournalHeader;
  readonly headerBytes: number;
  bytes: number;
}

/** A task's folder on its way into the store, written out of an exported file: epoch after epoch, as rotation does. */
export class ImportDraft {
  readonly id: string;
  readonly signals: readonly Signal[];
  readonly #context: StoreContext;
  readonly #place: string;
  readonly #incarnation: string;
  readonly #base: TaskRecord | null;
  readonly #chain: ChainEntry[] = [];
  #segment: { readonly file: number; readonly name: string; isOpen: boolean; bytes: number; count: number } | undefined;
  #part: Part | undefined;
  #folded: TaskRecord | undefined;

  constructor(context: StoreContext, task: { id: string; base: TaskRecord | null; signals: readonly Signal[] }) {
    this.#context = context;
    this.id = task.id;
    this.#base = task.base;
    this.signals = task.signals;
    this.#folded = task.base ?? undefined;
    this.#incarnation = context.unique();
    this.#place = join(context.layout.trash, `new.${context.instance}.${context.unique()}`);
    context.disk.makeFolder(this.#place);
  }

  /** The task as far as it was read. */
  get record(): TaskRecord | undefined {
    return this.#folded;
  }

  /** Adds items of the time before the first event. */
  addItems(items: readonly Json[]): void {
    const { disk, unique } = this.#context;
    if (this.#segment === undefined) {
      const name = `0-${unique()}.jsonl`;
      disk.makeFolder(join(this.#place, "items"));
      this.#segment = {
        file: disk.open(join(this.#place, "items", name), "wx"),
        name,
        isOpen: true,
        bytes: 0,
        count: 0,
      };
    }
    const line = encodeLine(JSON.stringify({ first: this.#segment.count, items }));
    appendAll(disk, this.#segment.file, line);
    this.#segment.bytes += line.byteLength;
    this.#segment.count += items.length;
  }

  /** Adds what happened next. @throws {@link ResumableError} `SEQ_CONFLICT` when it does not follow. */
  addEvents(events: readonly TaskEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    this.#folded = reduceTask(this.#folded, events);
    this.#part ??= this.#begin(1, this.#base ?? undefined);
    const line = encodeLine(JSON.stringify({ seq: first.seq, events }));
    appendAll(this.#context.disk, this.#part.file, line);
    this.#part.bytes += line.byteLength;
    const written = this.#part.bytes - this.#part.headerBytes;
    if (written > Math.max(this.#context.limits.rotateBytes, 4 * this.#part.headerBytes)) this.#end(this.#part);
  }

  #begin(epoch: number, record: TaskRecord | undefined): Part {
    const header = this.#headerOf(epoch, record);
    const line = encodeLine(JSON.stringify(header));
    const file = this.#context.disk.open(join(this.#place, journalName(epoch)), "wx");
    appendAll(this.#context.disk, file, line);
    return { file, header, headerBytes: line.byteLength, bytes: line.byteLength };
  }

  #headerOf(epoch: number, record: TaskRecord | undefined): JournalHeader {
    const itemsFrom = record?.itemsFromSeq ?? 1;
    return {
      layout: layoutVersion,
      taskId: this.id,
      incarnation: this.#incarnation,
      epoch,
      lease: epoch,
      worker: null,
      holder: null,
      ttlMs: 0,
      base: record?.lastSeq ?? 0,
      items: record?.itemCount ?? 0,
      itemsFrom,
      record: record ?? null,
      chain: [...this.#chain],
      segments: this.#segments().filter((segment) => segment.itemsFrom === itemsFrom),
      consumed: [],
      answered: [],
    };
  }

  #segments(): readonly ItemSegment[] {
    if (this.#segment === undefined) return [];
    const { name, bytes, count } = this.#segment;
    return [{ name, bytes, count, first: 0, itemsFrom: this.#base?.itemsFromSeq ?? 1 }];
  }

  /** Seals a file by the beginning of the next. */
  #end(part: Part): void {
    const { epoch, base, items, itemsFrom } = part.header;
    this.#chain.push({ epoch, base, end: this.#folded?.lastSeq ?? base, bytes: part.bytes, items, itemsFrom });
    this.#context.disk.close(part.file);
    this.#part = this.#begin(epoch + 1, this.#folded);
  }

  /** Writes the signals, and makes all of it durable. */
  async finish(record: TaskRecord): Promise<void> {
    const { disk, durable } = this.#context;
    for (const [index, signal] of this.signals.entries()) this.#writeSignal(record, signal, index + 1);
    this.#closeFiles();
    if (!durable) return;
    const names = disk.list(this.#place).filter((name) => name !== "items");
    for (const name of names) await syncPath(disk, join(this.#place, name));
    if (this.#segment !== undefined) {
      await syncPath(disk, join(this.#place, "items", this.#segment.name));
      await disk.syncFolder(join(this.#place, "items"));
    }
    await disk.syncFolder(this.#place);
  }

  #writeSignal(record: TaskRecord, signal: Signal, order: number): void {
    const { disk, unique } = this.#context;
    const isAnswer = signal.kind === "answer";
    const { name, bytes } = isAnswer
      ? answerFile(record, signal, order, unique())
      : { name: `signal.${order}.${signal.kind}.${unique()}`, bytes: Buffer.alloc(0) };
    createFile(disk, join(this.#place, name), bytes);
  }

  /** Moves the folder to its place. @throws the system's error when there is one of this id. */
  publish(): void {
    const folder = taskFolder(this.#context.layout, this.id);
    this.#context.disk.makeFolder(join(folder, ".."));
    this.#context.disk.rename(this.#place, folder);
  }

  /** Takes back what was moved to its place a moment ago. */
  withdraw(): void {
    this.#context.disk.rename(taskFolder(this.#context.layout, this.id), this.#place);
  }

  /** Removes what is not in its place. */
  discard(): void {
    this.#closeFiles();
    this.#context.disk.removeTree(this.#place);
  }

  #closeFiles(): void {
    if (this.#part !== undefined) this.#context.disk.close(this.#part.file);
    this.#part = undefined;
    if (this.#segment?.isOpen !== true) return;
    this.#context.disk.close(this.#segment.file);
    this.#segment.isOpen = false;
  }
}
