import { join } from "node:path";
import type { Json, TaskRecord } from "@resumable-mcp/core";
import { BoundedCache, deepFreeze } from "@resumable-mcp/core/internal";
import type { EventPage, ItemPage, TaskEvent } from "@resumable-mcp/core/store";
import { DamagedFile, decodeLine, rawLines } from "../disk/checked-line.js";
import { journalName, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { readFrom } from "../disk/whole-file.js";
import {
  type ChainEntry,
  type ItemPart,
  type ItemSegment,
  itemEvents,
  journalLines,
  parseHeader,
} from "../journal/journal-line.js";
import { chainThrough } from "../journal/task-view.js";
import type { TaskReading } from "./held-task.js";
import type { TaskReader } from "./task-reader.js";

interface Range {
  readonly after: number;
  readonly limit: number;
}

/** Where in a task's files the events behind a seq begin. */
interface FilePosition {
  readonly epoch: number;
  readonly offset: number;
}

/** Reads parts of journals. */
export class JournalReader {
  readonly #context: StoreContext;
  readonly #reader: TaskReader;
  /** Where pages ended, so that who asks for the next one does not begin at the file's start. */
  readonly #places: BoundedCache<FilePosition>;

  constructor(context: StoreContext, reader: TaskReader) {
    this.#context = context;
    this.#reader = reader;
    const { maxCachedTasks } = context.limits;
    this.#places = new BoundedCache({ maxEntries: maxCachedTasks, maxBytes: Number.POSITIVE_INFINITY });
  }

  /** Reads events from behind a cursor. */
  readEvents(taskId: string, { afterSeq, limit }: { afterSeq: number; limit: number }): Promise<EventPage> {
    return this.#reader.guard(taskId, async () => {
      const reading = await this.#reader.require(taskId);
      return this.#eventsOf(reading, { after: Math.max(afterSeq, 0), limit });
    });
  }

  #eventsOf({ record, view }: Pick<TaskReading, "record" | "view">, range: Range): EventPage {
    const { lastSeq } = record;
    if (range.after >= lastSeq) return { events: [], lastSeq };
    const fromTail = view.tail.between(range.after, lastSeq, range.limit);
    if (fromTail !== undefined) return { events: fromTail, lastSeq };
    const chain = chainThrough(view);
    // Where no file with events is left, the newest one says what the task is.
    const oldest = chain[0] ?? view.header;
    if (range.after >= oldest.base) {
      return { events: this.#scan({ record, view }, chain, range), lastSeq };
    }
    const snapshot = this.#snapshotBefore(record.id, oldest);
    return { snapshot, events: this.#scan({ record, view }, chain, { ...range, after: oldest.base }), lastSeq };
  }

  #scan(
    { record, view }: Pick<TaskReading, "record" | "view">,
    chain: readonly ChainEntry[],
    { after, limit }: Range,
  ): readonly TaskEvent[] {
    const { incarnation } = view.header;
    const known = this.#places.get(placeKey(incarnation, after));
    const found: TaskEvent[] = [];
    let bytes = 0;
    const endPage = (epoch: number, offset: number) => {
      this.#places.set(placeKey(incarnation, found.at(-1)?.seq ?? after), { epoch, offset }, 0);
      return found;
    };
    for (const entry of chain) {
      if (entry.end <= after) continue;
      const from = known?.epoch === entry.epoch ? known.offset : 0;
      const path = this.#pathOf(record.id, entry);
      for (const line of journalLines(this.#context, path, entry, { afterSeq: after, from })) {
        for (const event of line.commit.events) {
          if (event.seq > record.lastSeq || found.length >= limit) return endPage(entry.epoch, line.start);
          if (event.seq > after) found.push(event);
        }
        bytes += line.next - line.start;
        if (bytes > this.#context.limits.maxPageBytes) return endPage(entry.epoch, line.next);
      }
    }
    return found;
  }

  #pathOf(taskId: string, { epoch }: Pick<ChainEntry, "epoch">): string {
    return join(taskFolder(this.#context.layout, taskId), journalName(epoch));
  }

  /** The task as it was when the oldest file that is left began. */
  #snapshotBefore(taskId: string, oldest: Pick<ChainEntry, "epoch">): TaskRecord {
    const path = this.#pathOf(taskId, oldest);
    const [first] = rawLines(readFrom(this.#context.disk, path) ?? Buffer.alloc(0), 0, path);
    const record = first && parseHeader(first, path).record;
    if (!record) throw new DamagedFile(path, 0, "the snapshot is missing");
    return record;
  }

  /** Reads items of the present generation. */
  readItems(taskId: string, { after, limit }: Range): Promise<ItemPage> {
    return this.#reader.guard(taskId, async () => {
      const { record, view } = await this.#reader.require(taskId);
      const total = record.itemCount;
      const start = Math.min(Math.max(after, 0), total);
      const end = Math.min(start + limit, total);
      const sources = [...view.header.segments, ...chainThrough(view)];
      const items = this.#collect(record, sources, start, end);
      return { items, next: start + items.length, total };
    });
  }

  #collect(
    record: TaskRecord,
    sources: readonly (ItemSegment | ChainEntry)[],
    start: number,
    end: number,
  ): readonly Json[] {
    const items: Json[] = [];
    let bytes = 0;
    for (const [index, source] of sources.entries()) {
      if (start + items.length >= end) break;
      if (endsBefore(sources[index + 1], record, start)) continue;
      for (const part of this.#itemsIn(record, source)) {
        const wanted = part.items.slice(Math.max(start + items.length - part.index, 0), end - part.index);
        if (part.index + part.items.length <= start || part.index >= end) continue;
        items.push(...wanted);
        bytes += JSON.stringify(wanted).length;
        if (bytes > this.#context.limits.maxPageBytes) return items;
      }
    }
    return items;
  }

  #itemsIn(record: TaskRecord, source: ItemSegment | ChainEntry): Iterable<ItemPart> {
    const folder = taskFolder(this.#context.layout, record.id);
    if ("epoch" in source) return itemEvents(this.#context, folder, source, record.itemsFromSeq);
    return source.itemsFrom === record.itemsFromSeq ? itemLines(this.#context, folder, source) : [];
  }
}

/** The items of a file that compaction wrote, with the index of the first of each line. */
export function* itemLines(
  context: StoreContext,
  folder: string,
  { name, bytes: length }: ItemSegment,
): Generator<ItemPart> {
  const path = join(folder, "items", name);
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined || bytes.byteLength < length) throw new DamagedFile(path, 0, "items are missing");
  for (const line of rawLines(bytes.subarray(0, length), 0, path)) {
    // The checksum says that these are the bytes that compaction wrote.
    const { first, items } = deepFreeze(decodeLine(line, path)) as { first: number; items: readonly Json[] };
    yield { index: first, items };
  }
}

/** Tells whether everything before the next source lies before a place. */
function endsBefore(next: ItemSegment | ChainEntry | undefined, record: TaskRecord, start: number): boolean {
  if (next === undefined || next.itemsFrom !== record.itemsFromSeq) return false;
  return ("epoch" in next ? next.items : next.first) <= start;
}

function placeKey(incarnation: string, seq: number): string {
  return `${incarnation} ${seq}`;
}
