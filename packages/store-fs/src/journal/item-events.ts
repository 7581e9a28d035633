import { join } from "node:path";
import type { Json, TaskEvent } from "@resumable-mcp/core";
import { journalName } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import type { ChainEntry } from "./journal-line.js";
import { journalLines } from "./journal-range.js";

/** A checkpoint that appended items. */
type ItemEvent = Extract<TaskEvent, { type: "checkpoint" }> & { readonly items: readonly Json[] };

/** The checkpoints of a file that appended items of a generation, with the index of their first item. */
export function* itemEvents(
  context: StoreContext,
  folder: string,
  entry: ChainEntry,
  itemsFrom: number,
): Generator<{ readonly event: ItemEvent; readonly index: number }> {
  let count = entry.items;
  let from = entry.itemsFrom;
  for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
    for (const event of commit.events) {
      if (event.type === "restarted" && !event.fromState) [count, from] = [0, event.seq];
      if (event.type !== "checkpoint" || event.items === undefined || event.items.length === 0) continue;
      if (from === itemsFrom) yield { event: { ...event, items: event.items }, index: count };
      count += event.items.length;
    }
  }
}
