import { isFinal, type TaskStatus } from "../../task/task-record.js";
import type { TaskView, WaitResult } from "../engine.js";
import type { EngineParts } from "./engine-parts.js";
import { listen } from "./follow-task.js";

/** Waits until a task finished, asks or is paused, or until the time is over. */
export async function waitForTask(
  { store, clock, limits }: EngineParts,
  taskId: string,
  get: () => Promise<TaskView>,
  { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<WaitResult> {
  const news = listen(store, clock, taskId, limits.pollMs, signal);
  let over = signal?.aborted === true;
  const stopTimer =
    timeoutMs === undefined
      ? () => {}
      : clock.after(timeoutMs, () => {
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
