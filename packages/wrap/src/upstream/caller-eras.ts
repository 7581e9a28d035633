import { inTime } from "@resumable-mcp/core/internal";
import type { CallerHeaders, Era } from "@resumable-mcp/mcp/define-server";
import { wrapLimits } from "../limits.js";
import { untilAborted } from "./until-aborted.js";

/** In which era the calls of tasks came, and with which headers. A task may run before its start is known here. */
export class CallerEras {
  readonly #eras = new Map<string, Era>();
  readonly #headers = new Map<string, CallerHeaders>();
  readonly #waiting = new Map<string, () => void>();
  readonly #starting = new Map<string, Set<Promise<void>>>();

  /** A call of an owner is about to begin a task. Returns what tells which, or that there is none. */
  expect(owner: string, era: Era, headers?: CallerHeaders): (taskId: string | undefined) => void {
    const starting = this.#starting.get(owner) ?? new Set();
    const { promise, resolve } = withResolve();
    this.#starting.set(owner, starting.add(promise));
    return (taskId) => {
      if (taskId !== undefined) note(this.#eras, taskId, era);
      if (taskId !== undefined && headers !== undefined) note(this.#headers, taskId, headers);
      this.#waiting.get(taskId ?? "")?.();
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

  /** The headers of a task's caller, which are kept nowhere else; `undefined` where none comes. Limit: `waitMs`. */
  async headers(taskId: string, signal: AbortSignal): Promise<CallerHeaders | undefined> {
    if (!this.#headers.has(taskId)) {
      const { promise, resolve } = withResolve();
      this.#waiting.set(taskId, resolve);
      await inTime(untilAborted(promise, signal), wrapLimits.waitMs, () => {}).finally(() =>
        this.#waiting.delete(taskId),
      );
    }
    const headers = this.#headers.get(taskId);
    this.#headers.delete(taskId);
    return headers;
  }
}

/** A task may have run before, or run elsewhere. */
function note<Value>(notes: Map<string, Value>, taskId: string, value: Value): void {
  notes.set(taskId, value);
  const [oldest] = notes.keys();
  if (oldest !== undefined && notes.size > wrapLimits.maxStarting) notes.delete(oldest);
}

function withResolve(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
