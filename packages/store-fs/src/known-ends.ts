import { join } from "node:path";
import { isFinal, type TaskRecord } from "@resumable-mcp/core";
import { DamagedFile } from "./checked-line.js";
import type { FinishedTasks } from "./finished-tasks.js";
import type { Reading } from "./newest-view.js";
import type { StoreContext } from "./store-context.js";

/**
 * Which event the list of finished tasks says a task finished with.
 *
 * A line of that list is written after the final event is as safe as it is going to be. A journal that ends before has
 * lost its end: the task must not run again, though all that is left of its journal is sound.
 */
export class KnownEnds {
  private readonly context: StoreContext;
  private readonly finished: FinishedTasks;
  /** Of tasks with a marker, by birth. Only a process that died between line and marker leaves both. */
  private marked: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(context: StoreContext, finished: FinishedTasks) {
    this.context = context;
    this.finished = finished;
  }

  /** The seq of the event; 0 where the list has no need to be asked, or knows nothing. */
  async of({ view, folder }: Reading): Promise<number> {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.context;
    if (!disk.exists(join(layout.open, record.id))) return this.search(record, header.birth);
    return (await this.ofMarked()).get(header.birth) ?? 0;
  }

  /** A task that is neither finished nor marked as open is rare enough to search for. */
  private async search({ createdAt }: TaskRecord, birth: string): Promise<number> {
    const created = createdAt.slice(0, 10);
    let seq = 0;
    for await (const page of this.finished.pages(new Set(), (day) => day < created)) {
      for (const { head } of page) if (head.birth === birth) seq = Math.max(seq, head.seq);
    }
    return seq;
  }

  /** The list is read once for all of them. */
  private ofMarked(): Promise<ReadonlyMap<string, number>> {
    this.marked ??= this.collect().catch((error: unknown) => {
      this.marked = undefined;
      throw error;
    });
    return this.marked;
  }

  private async collect(): Promise<ReadonlyMap<string, number>> {
    const ids = new Set(this.finished.openIds());
    const ends = new Map<string, number>();
    for await (const page of this.finished.pages(new Set())) {
      for (const { head } of page) {
        if (ids.has(head.id)) ends.set(head.birth, Math.max(head.seq, ends.get(head.birth) ?? 0));
      }
    }
    return ends;
  }
}

/** The journal that was read after its end became known does not reach so far. */
export function lostEnd({ record, path, offset }: Reading["view"], end: number): DamagedFile {
  const reason = `the task finished with event ${end}, and its journal ends with event ${record.lastSeq}: its last lines are lost`;
  return new DamagedFile(path, offset, reason);
}
