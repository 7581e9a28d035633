import { isFinalEvent } from "../../task/task-event.js";
import { isFinal, type TaskStatus } from "../../task/task-record.js";
import type { Followed, TaskView, WaitResult } from "../engine.js";
import type { Environment } from "../environment.js";

/** Follows a journal: what is there, then what comes, until the task is final or `signal` aborts. */
export async function* followTask(
  environment: Environment,
  taskId: string,
  afterSeq: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Followed, void, void> {
  const { store, limits } = environment;
  const news = listen(environment, taskId, signal);
  let cursor = afterSeq;
  try {
    while (signal?.aborted !== true) {
      const page = await store.readEvents(taskId, { afterSeq: cursor, limit: limits.followBatch });
      if (page.snapshot !== undefined) {
        cursor = page.snapshot.lastSeq;
        yield { kind: "snapshot", record: page.snapshot };
        if (page.events.length === 0 && page.lastSeq === cursor && isFinal(page.snapshot.status)) return;
      }
      for (const event of page.events) {
        if (signal?.aborted) return;
        cursor = event.seq;
        yield { kind: "event", event };
        if (isFinalEvent(event) && event.seq === page.lastSeq) return;
      }
      if (cursor < page.lastSeq) continue;
      if (page.events.length === 0 && page.snapshot === undefined) {
        const task = await store.getTask(taskId);
        if (task === undefined || (isFinal(task.record.status) && task.record.lastSeq <= cursor)) return;
        if (task.record.lastSeq > cursor) continue;
      }
      await news.next();
    }
  } finally {
    news.stop();
  }
}

/** Waits for notifications about a task; where none comes, for the time after which to look anyway. */
function listen(
  { store, clock, limits }: Environment,
  taskId: string,
  signal: AbortSignal | undefined,
): { readonly next: () => Promise<void>; readonly wake: () => void; readonly stop: () => void } {
  let isNotified = false;
  let wake = () => {};
  const notify = (): void => {
    isNotified = true;
    wake();
  };
  const unwatch = store.watch(taskId, notify);
  signal?.addEventListener("abort", notify, { once: true });
  return {
    next: async () => {
      if (!isNotified && signal?.aborted !== true) {
        let stopTimer = () => {};
        await new Promise<void>((resolve) => {
          wake = resolve;
          stopTimer = clock.after(limits.pollMs, resolve, true);
        });
        stopTimer();
      }
      isNotified = false;
    },
    wake: notify,
    stop() {
      unwatch();
      signal?.removeEventListener("abort", notify);
      wake();
    },
  };
}

/** Waits until a task finished, asks or is paused, or until the time is over. */
export async function waitForTask(
  environment: Environment,
  taskId: string,
  get: () => Promise<TaskView>,
  { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<WaitResult> {
  const news = listen(environment, taskId, signal);
  let over = signal?.aborted === true;
  const stopTimer =
    timeoutMs === undefined
      ? () => {}
      : environment.clock.after(timeoutMs, () => {
          over = true;
          news.wake();
        });
  try {
    for (;;) {
      const view = await get();
      const reason = reasonOf(view.status);
      if (reason !== undefined) return { ...view, reason };
      if (over || signal?.aborted === true) return { ...view, reason: "timeout" };
      await news.next();
    }
  } finally {
    stopTimer();
    news.stop();
  }
}

function reasonOf(status: TaskStatus): Exclude<WaitResult["reason"], "timeout"> | undefined {
  if (isFinal(status)) return "finished";
  return status === "paused" || status === "input_required" ? status : undefined;
}
