import type { TaskJournal } from "@resumable-mcp/protocol";
import { plainText, wasCutOff } from "@resumable-mcp/protocol/display";

/** One attempt to run a task, on a line of time. Times are milliseconds since 1970. */
export interface Attempt {
  /** Place of its first event in the journal. */
  readonly seq: number;
  readonly attempt: string;
  readonly fromMs: number;
  /** Its end; of one whose process died, the last sign of life. */
  readonly toMs: number;
  /** Why it ended, such as `crashed`; `undefined` while it runs, and for the one that ended the task. */
  readonly ended?: string;
  readonly runs: boolean;
  /** It continues what another process began and did not end itself. */
  readonly takenOver: boolean;
}

const finals: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** Reads the attempts of a journal, oldest first. `isOver` says that nothing of the task runs now. */
export function readAttempts(journal: TaskJournal | undefined, nowMs: number, isOver: boolean): readonly Attempt[] {
  const attempts: Attempt[] = [];
  let open: (Attempt & { readonly worker: string }) | undefined;
  let last: { readonly worker: string; readonly wasCut: boolean } | undefined;
  const close = (ended: string | undefined, toMs: number) => {
    if (open === undefined) return;
    const { worker, ...attempt } = open;
    attempts.push({ ...attempt, ended, runs: false, toMs });
    last = { worker, wasCut: wasCutOff(ended) };
    open = undefined;
  };
  for (const { type, seq, at, data } of journal?.events ?? []) {
    const atMs = at === undefined ? Number.NaN : Date.parse(at);
    if (Number.isNaN(atMs)) continue;
    if (type === "attempt_started") {
      close(undefined, open?.toMs ?? atMs);
      const worker = String(data.worker ?? "");
      const takenOver = last?.wasCut === true && last.worker !== worker;
      open = { seq, attempt: plainText(String(data.attempt)), fromMs: atMs, toMs: atMs, runs: true, takenOver, worker };
    } else if (type === "attempt_ended") {
      const reason = plainText(String(data.reason));
      // The end of a process that died is written by the next one, later.
      close(reason, wasCutOff(reason) ? (open?.toMs ?? atMs) : atMs);
    } else if (finals.has(type)) close(undefined, atMs);
    else if (open !== undefined) open = { ...open, toMs: atMs };
  }
  if (open === undefined) return attempts;
  const { worker: _worker, ...running } = open;
  return [...attempts, isOver ? { ...running, runs: false } : { ...running, toMs: Math.max(running.toMs, nowMs) }];
}
