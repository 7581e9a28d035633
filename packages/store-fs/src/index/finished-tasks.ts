import { join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import type { TaskSummary } from "@resumable-mcp/core/store";
import { fileLines } from "../disk/file-lines.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, openIfExists, readRange } from "../disk/whole-file.js";
import type { Reading } from "../journal/task-view.js";
import { parseFinished } from "./finished-line.js";
import { FinishedTable, type FinishedTask, type LinePlace } from "./finished-table.js";

/**
 * The finished tasks, in memory: each list reads what was appended to the files of `done/` since the one before. Where a file was
 * rewritten, all are read again.
 */
export class FinishedTasks {
  readonly #context: StoreContext;
  #table = new FinishedTable();
  #reading: Promise<unknown> = Promise.resolve();
  /** Of the store's folder when the lists were read: it changes when one of them is made again. */
  #state: string | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** What was written before this call. */
  read(): Promise<FinishedTable> {
    const result = this.#reading.then(() => this.#readNew());
    this.#reading = result.catch(() => undefined);
    return result;
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
      await this.read();
      this.#state = state;
    }
    return this.#table.endOf(header.incarnation);
  }

  /** What the line of a task says; `undefined` where it is not there any more. */
  summaryOf({ incarnation }: FinishedTask, { name, start, length }: LinePlace): TaskSummary | undefined {
    const { disk, layout } = this.#context;
    const file = openIfExists(disk, join(layout.done, name));
    if (file === undefined) return undefined;
    try {
      const line = parseFinished({ bytes: readRange(disk, file, start, length), start, next: start + length + 1 });
      return line?.incarnation === incarnation ? line.summary : undefined;
    } finally {
      disk.close(file);
    }
  }

  async #readNew(): Promise<FinishedTable> {
    const { disk, layout } = this.#context;
    for (;;) {
      const names = (listIfExists(disk, layout.done) ?? []).filter((name) => name.endsWith(".jsonl"));
      // One that is taken over meanwhile has another name now.
      const sizes = new Map(names.map((name) => [name, disk.stat(join(layout.done, name))?.size ?? -1]));
      const isRewritten = [...this.#table.files].some(([name, { end }]) => (sizes.get(name) ?? -1) < end);
      const table = isRewritten ? new FinishedTable() : this.#table;
      let isWhole = ![...sizes.values()].includes(-1);
      for (const [name, size] of sizes) {
        if (size > (table.files.get(name)?.end ?? 0)) isWhole = (await this.#readFile(table, name)) && isWhole;
      }
      // What is known stays known until all was read again.
      if (isWhole) this.#table = table;
      if (isWhole) return table;
    }
  }

  /** @returns false when the file was taken over or removed since it was listed. */
  async #readFile(table: FinishedTable, name: string): Promise<boolean> {
    const { disk, layout } = this.#context;
    const pages = fileLines(disk, join(layout.done, name), table.files.get(name)?.end);
    if (pages === undefined) return false;
    for await (const lines of pages) for (const line of lines) table.add(name, line);
    return true;
  }
}
