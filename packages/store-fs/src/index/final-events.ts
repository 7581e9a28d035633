import { join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import type { StoreContext } from "../disk/store-context.js";
import type { Reading } from "../journal/task-view.js";
import type { Ends, FinishedIndex } from "./finished-index.js";

/**
 * Which event the list of finished tasks says a task finished with.
 *
 * A line of that list is written after the final event is as safe as it is going to be. A journal that ends before has
 * lost its end: the task must not run again, though all that is left of its journal is sound.
 */
export class FinalEventLookup {
  readonly #context: StoreContext;
  readonly #finished: FinishedIndex;
  /** Of tasks with a marker. Only a process that died between line and marker leaves both. */
  #marked: Ends | undefined;

  constructor(context: StoreContext, finished: FinishedIndex) {
    this.#context = context;
    this.#finished = finished;
  }

  /** The seq of the event; 0 where the list has no need to be asked, or knows nothing. */
  async of({ view, folder }: Reading): Promise<number> {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.#context;
    const isMarked = disk.exists(join(layout.open, record.id));
    // A task that is neither finished nor marked as open is rare enough to search for.
    const ends = isMarked ? this.#ofMarked() : this.#finished.ends(new Set([record.id]));
    return ends.of(header.incarnation, record.createdAt.slice(0, 10));
  }

  /** The list is read once for all of them, and no further back than the oldest of them was created. */
  #ofMarked(): Ends {
    if (this.#marked === undefined || this.#marked.failed)
      this.#marked = this.#finished.ends(new Set(this.#finished.openIds()));
    return this.#marked;
  }
}
