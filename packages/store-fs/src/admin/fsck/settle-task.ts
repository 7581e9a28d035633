import { join } from "node:path";
import { journalName, taskFolder } from "../../disk/layout.js";
import { quarantineCopy } from "../../disk/quarantine.js";
import { lookAt } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import { RepairRefused } from "./problem.js";
import { refuseIfHeld } from "./task-holder.js";

/** How long the repair may hold a task, should it die while it does. */
const ttlMs = 15_000;

/**
 * Takes a task over and gives it back: the one mechanism by which torn and orphaned journals are settled. Those that
 * count for nothing are removed by it, so what they hold is kept in `quarantine/` first.
 */
export function settleTask(taskId: string): (store: OpenStore) => Promise<void> {
  return async (store) => {
    refuseIfHeld(store, taskId);
    await keepLoose(store, taskId);
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    const taken = await store.book.acquire({ taskId, worker: "repair", ttlMs, now });
    if (taken === undefined) throw new RepairRefused("another process took the task just now");
    await store.book.release(taken.lease);
  };
}

async function keepLoose({ context, reader }: OpenStore, taskId: string): Promise<void> {
  const { disk, layout } = context;
  const { view } = await reader.require(taskId);
  const sealed = new Set([view.header.epoch, ...view.header.chain.map(({ epoch }) => epoch)]);
  const folder = taskFolder(layout, taskId);
  for (const epoch of lookAt(disk, folder)?.epochs ?? []) {
    const path = join(folder, journalName(epoch));
    if (sealed.has(epoch) || (disk.stat(path)?.size ?? 0) === 0) continue;
    quarantineCopy(context, path, `${taskId}.${journalName(epoch)}`, "an epoch that counts for nothing");
  }
}
