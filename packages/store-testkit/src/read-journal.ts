import type { Json, Store, TaskRecord } from "@resumable-mcp/core";
import { reduceTask, type TaskEvent } from "@resumable-mcp/core/store";
import { expectThat } from "./expect.js";

/** A journal as a reader sees it page by page. */
export interface JournalRead {
  /** What compaction left in place of the first events. */
  readonly snapshot: TaskRecord | undefined;
  readonly events: readonly TaskEvent[];
}

/** Reads a journal from behind a cursor to its end, and fails at the first gap, repeat or stuck page. */
export async function readJournal(store: Store, taskId: string, afterSeq = 0, limit = 100): Promise<JournalRead> {
  const events: TaskEvent[] = [];
  let snapshot: TaskRecord | undefined;
  let cursor = afterSeq;
  for (;;) {
    const page = await store.readEvents(taskId, { afterSeq: cursor, limit });
    expectThat(page.events.length <= limit, `a page of ${limit} holds no more, but it holds ${page.events.length}`);
    if (page.snapshot !== undefined) {
      expectThat(page.snapshot.lastSeq > cursor, "a snapshot is newer than the cursor that it is given for");
      expectThat(events.length === 0, "a snapshot comes only in place of the first events");
      snapshot = page.snapshot;
      cursor = page.snapshot.lastSeq;
    }
    for (const event of page.events) {
      expectThat(event.seq === cursor + 1, `event ${cursor + 1} comes after ${cursor}, but ${event.seq} does`);
      events.push(event);
      cursor = event.seq;
    }
    if (cursor >= page.lastSeq) return { snapshot, events };
    expectThat(page.events.length > 0 || page.snapshot !== undefined, `a page before seq ${page.lastSeq} is not empty`);
  }
}

/** The record that a journal amounts to. */
export function foldJournal({ snapshot, events }: JournalRead): TaskRecord {
  return reduceTask(snapshot, events);
}

/** Reads all items, page by page. */
export async function readAllItems(store: Store, taskId: string, limit = 100): Promise<readonly Json[]> {
  const items: Json[] = [];
  for (;;) {
    const page = await store.readItems(taskId, { after: items.length, limit });
    expectThat(page.items.length <= limit, `a page of ${limit} items holds no more`);
    items.push(...page.items);
    expectThat(page.next === items.length, `the next item after ${items.length} is not ${page.next}`);
    if (items.length >= page.total) return items;
    expectThat(page.items.length > 0, "a page before the last item is not empty");
  }
}
