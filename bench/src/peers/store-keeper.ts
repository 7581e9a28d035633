import type { Store, TaskEvent } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { createFsStore } from "@resumable-mcp/store-fs";
import { beginTask, now } from "../stores/stored-tasks.js";
import type { Checkpoint, CheckpointKeeper, Kept } from "./checkpoint-keeper.js";

interface Held {
  readonly lease: Lease;
  lastSeq: number;
}

/** This project's store: one journal for each task, one commit for each checkpoint. */
export function createStoreKeeper(directory: string, durability: "machine" | "process"): CheckpointKeeper {
  const store = createFsStore({ directory, durability });
  const tasks = new Map<string, Held>();
  const held = (taskId: string): Held => {
    const task = tasks.get(taskId);
    if (task === undefined) throw new Error(`Task ${taskId} was never begun.`);
    return task;
  };
  return {
    async begin(taskId) {
      tasks.set(taskId, await beginTask(store));
    },
    async keep(taskId, checkpoint) {
      const task = held(taskId);
      const event = { type: "checkpoint", ...checkpoint } as const;
      const { lease, lastSeq } = task;
      const { record } = await store.commit({ lease, afterSeq: lastSeq, events: [event], consume: [], now: now() });
      task.lastSeq = record.lastSeq;
    },
    read: (taskId) => readAll(store, held(taskId).lease.taskId),
    close: () => store.close(),
  };
}

async function readAll(store: Store, taskId: string): Promise<Kept> {
  let latest: Checkpoint | undefined;
  let count = 0;
  for (let afterSeq = 0; ; ) {
    const { events, lastSeq } = await store.readEvents(taskId, { afterSeq, limit: 1_000 });
    for (const event of events) {
      const checkpoint = checkpointOf(event);
      if (checkpoint === undefined) continue;
      latest = checkpoint;
      count += 1;
    }
    afterSeq = events.at(-1)?.seq ?? lastSeq;
    if (afterSeq >= lastSeq) return { latest, count };
  }
}

function checkpointOf(event: TaskEvent): Checkpoint | undefined {
  if (event.type !== "checkpoint") return undefined;
  const { progress = 0, total = 0, message = "", state = null } = event;
  return { progress, total, message, state };
}
