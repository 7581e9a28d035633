import { join } from "node:path";
import type { Json, TaskRecord } from "@resumable-mcp/core";
import { reduceTask, type Signal, type TaskEvent } from "@resumable-mcp/core/store";
import { encodeLine } from "../../disk/checked-line.js";
import { journalName, shardFolder, taskFolder } from "../../disk/layout.js";
import type { StoreContext } from "../../disk/store-context.js";
import { appendTo, createFile, listIfExists } from "../../disk/whole-file.js";
import { type ChainEntry, firstHeader, type ItemSegment, type JournalHeader } from "../../journal/journal-line.js";
import { signalName } from "../../journal/task-folder.js";
import { artifactName, encodeChunk } from "../../task/artifact-files.js";
import { answerFile } from "../../task/task-signals.js";

interface Part {
  readonly header: JournalHeader;
  readonly headerBytes: number;
  bytes: number;
}

/** A task's folder on its way into the store, written out of an exported file: epoch after epoch, as rotation does. */
export class ImportDraft {
  readonly id: string;
  /** The task as far as it was read. */
  record: TaskRecord | undefined;
  readonly #signals: readonly Signal[];
  readonly #context: StoreContext;
  readonly #place: string;
  readonly #incarnation: string;
  readonly #base: TaskRecord | null;
  readonly #chain: ChainEntry[] = [];
  #segment: ItemSegment;
  #part: Part | undefined;

  constructor(context: StoreContext, task: { id: string; base: TaskRecord | null; signals: readonly Signal[] }) {
    this.#context = context;
    this.id = task.id;
    this.#base = task.base;
    this.#signals = task.signals;
    this.record = task.base ?? undefined;
    this.#incarnation = context.unique();
    const name = `0-${context.unique()}.jsonl`;
    this.#segment = { name, bytes: 0, count: 0, first: 0, itemsFrom: task.base?.itemsFromSeq ?? 1 };
    this.#place = join(context.layout.trash, `new.${context.instance}.${context.unique()}`);
    context.disk.makeFolder(this.#place);
  }

  /** Adds items of the time before the first event. */
  addItems(items: readonly Json[]): void {
    const { name, bytes, count } = this.#segment;
    if (bytes === 0) this.#context.disk.makeFolder(join(this.#place, "items"));
    const line = this.#append(join("items", name), { first: count, items });
    this.#segment = { ...this.#segment, bytes: bytes + line, count: count + items.length };
  }

  /** Adds a chunk of an artifact, behind those before. */
  addChunk(artifact: string, bytes: Uint8Array): void {
    appendTo(this.#context.disk, join(this.#place, artifactName(artifact)), encodeChunk(bytes));
  }

  /** Adds what happened next. @throws {@link ResumableError} `SEQ_CONFLICT` when it does not follow. */
  addEvents(events: readonly TaskEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    this.record = reduceTask(this.record, events);
    const part = this.#part ?? this.#begin(1, this.#base);
    part.bytes += this.#append(journalName(part.header.epoch), { seq: first.seq, events });
    this.#part = part;
    const written = part.bytes - part.headerBytes;
    if (written <= Math.max(this.#context.limits.rotateBytes, 4 * part.headerBytes)) return;
    // A file is sealed by the beginning of the next.
    const { epoch, base, items, itemsFrom } = part.header;
    this.#chain.push({ epoch, base, end: this.record.lastSeq, bytes: part.bytes, items, itemsFrom });
    this.#part = this.#begin(epoch + 1, this.record);
  }

  #begin(epoch: number, record: TaskRecord | null): Part {
    const itemsFrom = record?.itemsFromSeq ?? 1;
    const header: JournalHeader = {
      ...firstHeader(this.id, this.#incarnation),
      epoch,
      lease: epoch,
      base: record?.lastSeq ?? 0,
      items: record?.itemCount ?? 0,
      itemsFrom,
      record,
      chain: [...this.#chain],
      segments: [this.#segment].filter((segment) => segment.bytes > 0 && segment.itemsFrom === itemsFrom),
    };
    const bytes = this.#append(journalName(epoch), header);
    return { header, headerBytes: bytes, bytes };
  }

  /** @returns how long the line is. */
  #append(name: string, value: object): number {
    const line = encodeLine(JSON.stringify(value));
    appendTo(this.#context.disk, join(this.#place, name), line);
    return line.byteLength;
  }

  /** Writes the signals, and makes all of it durable. */
  async finish(record: TaskRecord): Promise<void> {
    const { disk, durable, syncs, unique } = this.#context;
    for (const [index, signal] of this.#signals.entries()) {
      const { name, bytes } =
        signal.kind === "answer"
          ? answerFile(record, signal, index + 1, unique())
          : { name: signalName(index + 1, signal, unique()), bytes: Buffer.alloc(0) };
      createFile(disk, join(this.#place, name), bytes);
    }
    if (!durable) return;
    const items = join(this.#place, "items");
    for (const folder of [items, this.#place]) {
      const names = listIfExists(disk, folder);
      for (const name of names ?? []) if (name !== "items") await syncs.sync(join(folder, name));
      if (names !== undefined) await disk.syncFolder(folder);
    }
  }

  /** Moves the folder to its place. @throws the system's error when there is one of this id. */
  publish(): void {
    const { disk, layout } = this.#context;
    disk.makeFolder(shardFolder(layout, this.id));
    disk.rename(this.#place, taskFolder(layout, this.id));
  }

  /** Takes back what was moved to its place a moment ago. */
  withdraw(): void {
    this.#context.disk.rename(taskFolder(this.#context.layout, this.id), this.#place);
  }

  /** Removes what is not in its place. */
  discard(): void {
    this.#context.disk.removeTree(this.#place);
  }
}
