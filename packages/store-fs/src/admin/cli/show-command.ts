import { statusOf, type TaskEvent } from "@resumable-mcp/core";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import type { CommandOptions, CommandResult } from "./command.js";

const pageSize = 1000;

/** Shows one task: what it is, and what happened to it. */
export async function showCommand(store: OpenStore, taskId: string, options: CommandOptions): Promise<CommandResult> {
  if (!isSafeId(taskId)) throw badId("id");
  const { reader, context } = store;
  const reading = await reader.require(taskId);
  const snapshot = reader.snapshotOf(reading);
  const { epoch, worker, chain } = reading.view.header;
  const json = {
    status: statusOf(snapshot),
    leased: snapshot.leased,
    folder: taskFolder(context.layout, taskId),
    epoch,
    worker,
    journalFiles: chain.length + 1,
    signals: snapshot.signals,
    record: snapshot.record,
    ...(options.events && { events: await eventsOf(store, taskId) }),
    ...(options.items && { items: (await store.journal.readItems(taskId, { after: 0, limit: pageSize })).items }),
  };
  return { json, text: JSON.stringify(json, null, 2), ok: true };
}

/** The newest events, at most a page. */
async function eventsOf({ journal, reader }: OpenStore, taskId: string): Promise<readonly TaskEvent[]> {
  const { record } = await reader.require(taskId);
  return (await journal.readEvents(taskId, { afterSeq: Math.max(record.lastSeq - pageSize, 0), limit: pageSize }))
    .events;
}
