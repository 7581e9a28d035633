import { join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import type { RawLine } from "../disk/checked-line.js";
import type { StoreContext } from "../disk/store-context.js";
import type { Reading } from "../journal/task-view.js";
import type { FinishedIndex } from "./finished-index.js";
import { idFilter, parseFinished, type Superseding, supersede, visitLines } from "./finished-line.js";

/**
 * Which event the finished index says a task finished with.
 *
 * A line of the index is written after the final event is as safe as it is going to be. A journal that ends before has
 * lost its end: the task must not run again, though all that is left of its journal is sound.
 */
export class FinalEventLookup {
  readonly #context: StoreContext;
  readonly #finished: FinishedIndex;
  /** Of tasks with a marker. A process that died between line and marker leaves both, and markers that are made again do. */
  #marked: FinalEvents | undefined;
  /** The state of the store's folder before the markers were listed: it changes when `open/` is made again. */
  #markedState: string | undefined;

  constructor(context: StoreContext, finished: FinishedIndex) {
    this.#context = context;
    this.#finished = finished;
  }

  /** The seq of the event; 0 where the index has no need to be asked, or knows nothing. */
  async of({ view, folder }: Reading): Promise<number> {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.#context;
    const isMarked = disk.exists(join(layout.open, record.id));
    // A task that is neither finished nor marked as open is rare enough to search for.
    if (!isMarked) return this.#eventsOf([record.id]).of(header.incarnation, record.createdAt);
    // The index is read once for all marked ones, and no further back than the oldest of them was created.
    const state = disk.identify(layout.directory)?.state;
    if (this.#marked === undefined || this.#marked.failed || state !== this.#markedState) {
      this.#markedState = state;
      this.#marked = this.#eventsOf(this.#finished.openIds());
    }
    return this.#marked.of(header.incarnation, record.createdAt);
  }

  #eventsOf(ids: readonly string[]): FinalEvents {
    return new FinalEvents(this.#context, new Set(ids), this.#finished.days());
  }
}

/** How much of the end of a file is read first. Where that does not reach back far enough, more is read. */
const firstBytes = 64 * 1024;
const growth = 8;
/** Later than any time. */
const endOfTime = "\uffff";

interface FinishedFile {
  readonly day: string;
  readonly name: string;
  /** Every line about a task that was created later than this was read. */
  createdUpTo: string;
}

/** The events with which some tasks finished, from lines that are read as far back as they are asked for. */
class FinalEvents {
  /** A read failed: what was read before does not count. */
  failed = false;
  readonly #context: StoreContext;
  readonly #isWanted: (line: RawLine) => boolean;
  readonly #files: readonly FinishedFile[];
  readonly #newest = new Map<string, Superseding>();
  #reading = Promise.resolve();

  constructor(context: StoreContext, ids: ReadonlySet<string>, days: ReturnType<FinishedIndex["days"]>) {
    this.#context = context;
    this.#isWanted = idFilter(ids);
    this.#files = days.flatMap(([day, names]) => names.map((name) => ({ day, name, createdUpTo: endOfTime })));
  }

  /** The seq of a task's last event, 0 when no line says that it finished. */
  async of(incarnation: string, createdAt: string): Promise<number> {
    this.#reading = this.#reading.then(() => this.#readBackTo(createdAt));
    await this.#reading.catch((error: unknown) => {
      this.failed = true;
      throw error;
    });
    const end = this.#newest.get(incarnation);
    return end === undefined || end.gone ? 0 : end.seq;
  }

  async #readBackTo(createdAt: string): Promise<void> {
    for (const file of this.#files) {
      if (file.day < createdAt.slice(0, 10)) continue;
      for (let bytes = firstBytes; file.createdUpTo >= createdAt; bytes *= growth) {
        file.createdUpTo = await this.#readEnd(file.name, bytes);
      }
    }
  }

  /** Lines of other tasks are not decoded: many finished tasks cost little. @returns the new `createdUpTo` of the file. */
  async #readEnd(name: string, bytes: number): Promise<string> {
    const { disk, layout } = this.#context;
    const from = Math.max(0, (disk.stat(join(layout.done, name))?.size ?? 0) - bytes);
    let createdUpTo = from === 0 ? "" : undefined;
    const visit = (line: RawLine) => {
      createdUpTo ??= parseFinished(line)?.newestCreatedAt;
      if (this.#isWanted(line)) supersede(this.#newest, parseFinished(line));
    };
    await visitLines(this.#context, [name], visit, from);
    return createdUpTo ?? endOfTime;
  }
}
