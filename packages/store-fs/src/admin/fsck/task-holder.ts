import { taskFolder } from "../../disk/layout.js";
import { lookAt, parseLease } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import { RepairRefused } from "./problem.js";

/** How long a worker that cannot be asked counts as alive after its last heartbeat; it has only just been seen. */
const ttlMs = 15_000;

/** A worker that holds a task and is not known to be dead. */
export function holderOf({ context, workers }: OpenStore, taskId: string): string | undefined {
  const folder = lookAt(context.disk, taskFolder(context.layout, taskId));
  const holders = (folder?.leases ?? []).map((name) => parseLease(name).holder);
  return holders.find((holder) => workers.isAlive(holder, ttlMs));
}

/** @throws {@link RepairRefused} when a live process holds the task. */
export function refuseIfHeld(store: OpenStore, taskId: string): void {
  const holder = holderOf(store, taskId);
  if (holder === undefined) return;
  throw new RepairRefused(`a live process (${holder}) holds the task; stop it, or wait until it has finished`);
}
