import { type Evidence, eventsOf, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";

/** The rules about what programs see that use the client of the toolkit, or of the SDK. */
export const clientRules: readonly ((evidence: Evidence) => readonly Violation[])[] = [
  checkClientShows,
  checkClientEnds,
  checkClientStays,
  checkSdkProgress,
];

interface Follow {
  task: unknown;
  seq: number;
  progress: number;
  /** It begins where the task is, and not with its first event. */
  isJoined: boolean;
}

/** G5, G6: each event is shown once and in order, and progress does not go back, also in the next process. */
function checkClientShows({ plan, events }: Evidence): readonly Violation[] {
  // A task that begins again from nothing is a new generation, whose progress begins again too.
  const mayRestart = plan.tool?.onVersionChange === "restart";
  // One commit of a map may count several of its items. They are known by what ran: a task may be deleted before the end.
  const mapping = new Set(eventsOf(events, "item_runs").map(({ task }) => task));
  const violations: Violation[] = [];
  const follows = new Map<unknown, Follow>();
  for (const event of events) {
    const { caller, task, kind } = event;
    const known = follows.get(caller);
    if (kind === "client_called" || kind === "client_follows") {
      const progress = known?.task === task ? (known?.progress ?? 0) : 0;
      const isJoined = kind === "client_follows" || event.joined === true;
      follows.set(caller, { task, seq: 0, progress, isJoined });
    }
    if (kind !== "client_shows" || known === undefined) continue;
    const problem = problemOf(event, known, mayRestart, mapping.has(task));
    if (problem !== undefined) violations.push({ rule: "G5", text: `${String(caller)} was shown ${problem}.` });
    Object.assign(known, { seq: Number(event.seq), progress: Number(event.progress) });
  }
  return violations;
}

function problemOf(
  { seq, progress, snapshot, restarted }: HistoryEvent,
  known: Follow,
  mayRestart: boolean,
  isMapping: boolean,
): string | undefined {
  const shown = Number(progress);
  if (Number(seq) <= known.seq) return `event ${seq} after ${known.seq}`;
  // A client that was away when that happened sees only where the task is now.
  if (restarted === true || (mayRestart && shown < known.progress)) return undefined;
  const isFirst = known.seq === 0;
  if (shown < known.progress) return `progress ${shown} after ${known.progress}`;
  // The tool counts its checkpoints: one that is missing was not shown.
  const mayLeap = isMapping || snapshot === true || (isFirst && known.isJoined);
  if (!mayLeap && shown > known.progress + 1) return `progress ${shown} after ${known.progress}, and none between`;
  return undefined;
}

/** Who called has the result in the end, and it is what the task came to. */
function checkClientEnds({ events, tasks }: Evidence): readonly Violation[] {
  const ended = new Set(eventsOf(events, "client_result").map(({ caller }) => caller));
  const callers = new Set(eventsOf(events, "client_calls").map(({ caller }) => caller));
  const endless = [...callers].filter((caller) => !ended.has(caller)).map((caller) => `${caller} has no result.`);
  const wrong = eventsOf(events, "client_result").flatMap(({ caller, task, status }) => {
    const record = tasks.find((final) => final.record.id === task)?.record;
    // A task that failed may be continued by the same call of another caller.
    return record === undefined || status === "failed" || record.status === status
      ? []
      : [`${caller} has ${status} of ${task}, which is ${record.status}.`];
  });
  return [...endless.map((text) => ({ rule: "liveness", text })), ...wrong.map((text) => ({ rule: "G1", text }))];
}

/** A client that has reached its server does not give up while that comes back again and again. */
function checkClientStays({ events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const kept = new Set(tasks.map(({ record }) => record.id));
  const reached = new Set<unknown>();
  for (const { kind, caller, task, code, reason, message, atMs } of events) {
    if (kind === "client_called" || kind === "client_follows") reached.add(caller);
    if (kind === "client_dies") reached.delete(caller);
    if (kind !== "client_error") continue;
    const isAllowed =
      (code === "SERVER_UNREACHABLE" && !reached.has(caller)) ||
      // It was deleted, or has expired.
      (code === "TASK_NOT_FOUND" && !kept.has(String(task))) ||
      String(reason ?? "").startsWith("STORE_");
    reached.delete(caller);
    if (!isAllowed) {
      violations.push({ rule: "liveness", text: `${String(caller)} gave up at ${atMs} ms: ${String(message)}` });
    }
  }
  return violations;
}

/** G6: what the SDK's client shows of one request does not go back. */
function checkSdkProgress({ events }: Evidence): readonly Violation[] {
  return eventsOf(events, "sdk_progress")
    .filter(({ progress, before }) => Number(progress) < Number(before))
    .map(({ caller, progress, before, atMs }) => ({
      rule: "G6",
      text: `${String(caller)} was shown ${progress} after ${before} at ${atMs} ms.`,
    }));
}
