import type { TaskRecord } from "@resumable-mcp/core";
import type { FoldedJournal } from "../journal/task-view.js";
import { withoutConsumed } from "./task-signals.js";

/** What was acknowledged of a task that is written, which is all that others see of it. */
export class Acknowledged {
  #record: TaskRecord;
  /** Signals that commits consume which are not acknowledged yet. */
  readonly #hidden = new Set<string>();

  constructor(record: TaskRecord) {
    this.#record = record;
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** A commit that consumes signals was written. */
  hide(consumed: readonly string[]): void {
    for (const id of consumed) this.#hidden.add(id);
  }

  /** The commit is as safe as it is going to be. Commits may get here in another order than they were written in. */
  reach(record: TaskRecord, consumed: readonly string[]): void {
    if (record.lastSeq > this.#record.lastSeq) this.#record = record;
    for (const id of consumed) this.#hidden.delete(id);
  }

  /** A signal is pending for others until they see the events that carry it out: never neither, never both. */
  viewOf(view: FoldedJournal): FoldedJournal {
    return withoutConsumed(view, this.#hidden);
  }
}
