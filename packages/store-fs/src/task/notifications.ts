import { join } from "node:path";
import type { Disk, DiskWatch } from "../disk/disk.js";
import { journalName, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { lookAt } from "../journal/task-folder.js";
import type { HeldTask } from "./held-task.js";

const maxNotificationBytes = 64 * 1024;

interface Watched {
  readonly wakes: Set<() => void>;
  readonly stop: () => void;
}

/** Says that there may be something new: directly within this store, through the file system to other processes. */
export class Notifications {
  readonly #tasks = new Map<string, Watched>();
  #runnable: Watched | undefined;
  readonly #context: StoreContext;
  readonly #held: ReadonlyMap<string, HeldTask>;

  constructor(context: StoreContext, held: ReadonlyMap<string, HeldTask>) {
    this.#context = context;
    this.#held = held;
  }

  /** `runnable`: also workers that look for work may want to know. */
  notify(taskId: string, about: "task" | "runnable"): void {
    wakeAll(this.#tasks.get(taskId));
    if (about === "task") return;
    wakeAll(this.#runnable);
    this.#touch();
  }

  #touch(): void {
    const { disk, layout } = this.#context;
    // Another folder may be in the store's place, and is left as it is.
    if (!disk.exists(layout.notifications)) return;
    try {
      const file = disk.open(layout.notifications, "a");
      try {
        disk.write(file, Buffer.from("\n"), null);
        if ((disk.stat(layout.notifications)?.size ?? 0) > maxNotificationBytes) disk.truncate(file, 0);
      } finally {
        disk.close(file);
      }
    } catch {
      // A lost notification costs the time until the other process polls.
    }
  }

  watch(taskId: string | undefined, wake: () => void): () => void {
    const watched = taskId === undefined ? this.#watchRunnable() : this.#watchTask(taskId);
    // Each call has an entry of its own, also when the same function is given twice.
    const own = () => wake();
    watched.wakes.add(own);
    return () => {
      watched.wakes.delete(own);
      if (watched.wakes.size === 0) this.#drop(taskId, watched);
    };
  }

  #drop(taskId: string | undefined, watched: Watched): void {
    watched.stop();
    if (taskId === undefined) this.#runnable = this.#runnable === watched ? undefined : this.#runnable;
    else if (this.#tasks.get(taskId) === watched) this.#tasks.delete(taskId);
  }

  #watchRunnable(): Watched {
    if (this.#runnable !== undefined) return this.#runnable;
    const { disk, layout, limits } = this.#context;
    const watched: Watched = {
      wakes: new Set(),
      stop: watchPath({
        disk,
        path: layout.notifications,
        pollMs: limits.watchPollMs,
        fingerprint: () => JSON.stringify(disk.stat(layout.notifications)),
        changed: () => wakeAll(watched),
      }),
    };
    this.#runnable = watched;
    return watched;
  }

  #watchTask(taskId: string): Watched {
    const known = this.#tasks.get(taskId);
    if (known !== undefined) return known;
    const { disk, layout, limits } = this.#context;
    const watched: Watched = {
      wakes: new Set(),
      stop: watchPath({
        disk,
        path: taskFolder(layout, taskId),
        pollMs: limits.watchPollMs,
        fingerprint: () => this.#fingerprint(taskId),
        changed: (name) => {
          if (this.#concerns(taskId, name)) wakeAll(watched);
        },
      }),
    };
    this.#tasks.set(taskId, watched);
    return watched;
  }

  /** Of what this store writes itself it has notified already. */
  #concerns(taskId: string, name: string | undefined): boolean {
    if (name === undefined) return true;
    if (name.startsWith("signal.") || name.startsWith("answer.") || name.startsWith("lease.")) return true;
    if (!name.startsWith("journal.")) return false;
    return this.#held.get(taskId)?.isWriting(name) !== true;
  }

  #fingerprint(taskId: string): string {
    const folder = taskFolder(this.#context.layout, taskId);
    const state = lookAt(this.#context.disk, folder);
    if (state === undefined) return "none";
    // A file that was extended beforehand does not grow with each line.
    const journal = this.#context.disk.stat(join(folder, journalName(state.newest)));
    return JSON.stringify([{ ...state, quiet: undefined }, journal]);
  }

  close(): void {
    for (const watched of this.#tasks.values()) watched.stop();
    this.#runnable?.stop();
    this.#tasks.clear();
    this.#runnable = undefined;
  }
}

function wakeAll(watched: Watched | undefined): void {
  for (const wake of watched?.wakes ?? []) queueMicrotask(wake);
}

/** Watches a path natively, or by looking again and again where the system gives no notice. Keeps no process alive. */
export function watchPath(options: {
  readonly disk: Disk;
  readonly path: string;
  readonly pollMs: number;
  /** Changes whenever there may be something new. */
  readonly fingerprint: () => string;
  readonly changed: (name: string | undefined) => void;
}): () => void {
  const { disk, path, pollMs, fingerprint, changed } = options;
  let stop: () => void = () => {};
  const poll = () => {
    let last = look(fingerprint);
    const timer = setInterval(() => {
      const next = look(fingerprint);
      if (next === last) return;
      last = next;
      changed(undefined);
    }, pollMs);
    timer.unref();
    stop = () => clearInterval(timer);
  };
  try {
    const watch: DiskWatch = disk.watch(path, changed, poll);
    stop = () => watch.close();
  } catch {
    poll();
  }
  return () => stop();
}

function look(fingerprint: () => string): string {
  try {
    return fingerprint();
  } catch {
    return "unreadable";
  }
}
