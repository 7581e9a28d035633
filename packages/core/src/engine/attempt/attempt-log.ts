import { copyJson, type Json, jsonBytes } from "../../json.js";
import type { TaskLimitValues } from "../../limits.js";
import type { LogLevel, TaskEventBody } from "../../task/task-event.js";
import { checkLimit } from "./check-checkpoint.js";

/** Log entries of one attempt that wait for the next commit. */
export interface AttemptLog {
  /** @throws {@link ResumableError} `NOT_JSON`, `LIMIT_EXCEEDED`. */
  log(level: LogLevel, data: Json): void;
  /** Takes what waits, oldest first. */
  take(): readonly TaskEventBody[];
}

/** Makes the log of one attempt. */
export function createAttemptLog(limits: Pick<TaskLimitValues, "maxLogBytes" | "maxPendingLogs">): AttemptLog {
  let pending: TaskEventBody[] = [];
  let dropped = 0;
  return {
    log(level, data) {
      const copied = copyJson(data ?? null, "log data");
      checkLimit("maxLogBytes", jsonBytes(copied), limits.maxLogBytes);
      if (pending.length >= limits.maxPendingLogs) {
        pending.shift();
        dropped += 1;
      }
      pending.push({ type: "log", level, data: copied });
    },
    take() {
      const taken = pending;
      pending = [];
      if (dropped === 0) return taken;
      const data = `${dropped} older log entries were dropped: maxPendingLogs allows ${limits.maxPendingLogs} between two checkpoints.`;
      dropped = 0;
      return [{ type: "log", level: "warning", data }, ...taken];
    },
  };
}
