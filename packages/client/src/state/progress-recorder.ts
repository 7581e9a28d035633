import { inTurn, taskProgressed } from "./state-changes.js";
import type { StateFile } from "./state-file.js";

/** What is noted of a task's progress. */
export interface RecordedProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Writes progress to the state file, at most once in a while: what counts is on the server. */
export interface ProgressRecorder {
  record(taskId: string, progress: RecordedProgress): void;
  /** Writes what has not been written yet. */
  flush(): Promise<void>;
}

/** Creates a recorder that writes at most every `saveProgressMs`. */
export function createProgressRecorder(
  stateFile: StateFile,
  options: { readonly saveProgressMs: number; readonly now: () => string },
): ProgressRecorder {
  const latest = new Map<string, { readonly progress: RecordedProgress; readonly at: string }>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const entries = [...latest];
    latest.clear();
    if (entries.length === 0) return;
    // A full disk must not end a call: its progress is on the server.
    const changes = entries.map(([taskId, { progress, at }]) => taskProgressed(taskId, progress, at));
    await stateFile.update(inTurn(changes)).catch(() => undefined);
  };

  return {
    record(taskId, progress) {
      latest.set(taskId, { progress, at: options.now() });
      timer ??= setTimeout(() => void flush(), options.saveProgressMs).unref();
    },
    flush,
  };
}
