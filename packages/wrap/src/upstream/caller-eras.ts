import type { Era } from "@resumable-mcp/mcp/define-server";
import { wrapLimits } from "../limits.js";

/** In which era the calls of tasks came. A task may run before its start is known here. */
export class CallerEras {
  readonly #eras = new Map<string, Era>();
  readonly #starting = new Map<string, Set<Promise<void>>>();

  /** A call of an owner is about to begin a task. Returns what tells which, or that there is none. */
  expect(owner: string, era: Era): (taskId: string | undefined) => void {
    const starting = this.#starting.get(owner) ?? new Set();
    const { promise, resolve } = withResolve();
    this.#starting.set(owner, starting.add(promise));
    return (taskId) => {
      if (taskId !== undefined) this.#note(taskId, era);
      starting.delete(promise);
      if (starting.size === 0) this.#starting.delete(owner);
      resolve();
    };
  }

  /** The era of a task's call; 2026 where another process took the call. */
  async find(owner: string, taskId: string): Promise<Era> {
    if (!this.#eras.has(taskId)) await Promise.all(this.#starting.get(owner) ?? []);
    const era = this.#eras.get(taskId) ?? "2026";
    this.#eras.delete(taskId);
    return era;
  }

  /** A task may have run before, or run elsewhere. */
  #note(taskId: string, era: Era): void {
    this.#eras.set(taskId, era);
    const [oldest] = this.#eras.keys();
    if (oldest !== undefined && this.#eras.size > wrapLimits.maxStarting) this.#eras.delete(oldest);
  }
}

function withResolve(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
