import type { Disk, DiskWatch } from "../disk/disk.js";
import { taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { readFingerprint } from "../journal/task-folder.js";
import type { ChangeNotes } from "./change-notes.js";
import type { HeldTask } from "./held-task.js";

interface Watched {
  readonly wakes: Set<() => void>;
  readonly stop: () => void;
}

/** The name under which those are kept who watch for work of any task. */
const anyTask = "";

/** Says that there may be something new: directly within this store, through the file system to other processes. */
export class Notifications {
  /** By task. */
  readonly #watched = new Map<string, Watched>();
  readonly #context: StoreContext;
  readonly #notes: ChangeNotes;
  readonly #held: ReadonlyMap<string, HeldTask>;

  constructor(context: StoreContext, notes: ChangeNotes, held: ReadonlyMap<string, HeldTask>) {
    this.#context = context;
    this.#notes = notes;
    this.#held = held;
  }

  /** `runnable`: also workers that look for work may want to know. */
  notify(taskId: string, about: "task" | "runnable"): void {
    wakeAll(this.#watched.get(taskId));
    if (about === "task") return;
    wakeAll(this.#watched.get(anyTask));
    this.#notes.note(taskId);
  }

  watch(taskId: string = anyTask, wake: () => void): () => void {
    const watched = this.#watched.get(taskId) ?? this.#begin(taskId);
    // Each call has an entry of its own, also when the same function is given twice.
    const own = () => wake();
    watched.wakes.add(own);
    return () => {
      watched.wakes.delete(own);
      if (watched.wakes.size > 0) return;
      watched.stop();
      if (this.#watched.get(taskId) === watched) this.#watched.delete(taskId);
    };
  }

  #begin(taskId: string): Watched {
    const { disk, layout, limits } = this.#context;
    const path = taskId === anyTask ? layout.notifications : taskFolder(layout, taskId);
    const watched: Watched = {
      wakes: new Set(),
      stop: watchPath({
        disk,
        path,
        pollMs: limits.watchPollMs,
        fingerprint: () => (taskId === anyTask ? JSON.stringify(disk.stat(path)) : readFingerprint(disk, path)),
        changed: (name) => {
          if (taskId === anyTask || this.#concerns(taskId, name)) wakeAll(watched);
        },
      }),
    };
    this.#watched.set(taskId, watched);
    return watched;
  }

  /** Of what this store writes itself it has notified already. */
  #concerns(taskId: string, name: string | undefined): boolean {
    if (name === undefined || /^(?:signal|answer|lease)\./.test(name)) return true;
    return name.startsWith("journal.") && this.#held.get(taskId)?.isWriting(name) !== true;
  }

  close(): void {
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
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
