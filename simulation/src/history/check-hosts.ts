import { type Evidence, eventsOf, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";

/** The rules about what the requests of a host of the 2025 era come to. */
export const hostRules: readonly ((evidence: Evidence) => readonly Violation[])[] = [
  checkAskedAgain,
  checkCursors,
  checkComesBack,
];

/** A question whose answer could not be stored is shown again within this time. */
const againMs = 5_000;

/** Faults that only keep the store from writing. */
const ofDisk: ReadonlySet<unknown> = new Set(["full", "errors", "failing_syncs", "lost_syncs"]);

/** Arming a fault breaks nothing. */
const waiting: ReadonlySet<unknown> = new Set([
  "die_at_call",
  "die_at_turn",
  "die_at_point",
  "die_at_place",
  "at_moment",
]);

/** G9: an answer that the store could not write is asked for again. */
function checkAskedAgain({ patience, events }: Evidence): readonly Violation[] {
  return eventsOf(events, "mcp_answered").flatMap(({ caller, task, worker, question, status, isSame, atMs }) => {
    if (!(Number(status) >= 500) || isSame !== true) return [];
    const asked = events.findLast(
      (event) =>
        event.kind === "mcp_asked" && event.caller === caller && event.question === question && event.atMs < atMs,
    );
    const sinceMs = asked?.atMs ?? atMs;
    const fromMs = sinceMs - patience.faultMs;
    const isOver = (event: HistoryEvent) =>
      (event.kind === "died" && event.worker === worker && event.atMs >= sinceMs) ||
      (event.kind === "fault" && !ofDisk.has(event.fault) && !waiting.has(event.fault)) ||
      (event.atMs > atMs && event.caller === caller && event.kind !== "accepted") ||
      // It may cancel the call with that, or come back later than the question is shown again.
      (event.atMs >= sinceMs && event.caller === caller && event.kind === "drops") ||
      (event.atMs >= sinceMs && event.caller === caller && endsCall(event, task)) ||
      (event.atMs > atMs && event.task === task && endsQuestions.has(event.kind));
    const rest = events.some((event) => event.atMs > fromMs && event.atMs < atMs + againMs && isOver(event));
    if (rest) return [];
    const text = `${String(caller)} could not answer ${String(question)} at ${atMs} ms (${String(status)}), and was not asked again.`;
    return [{ rule: "G9", text }];
  });
}

/** The call that asked has ended before its answer came. A caller makes one call at a time; an error of the store names no task. */
function endsCall({ kind, task, code }: HistoryEvent, ofTask: HistoryEvent["task"]): boolean {
  if (kind !== "mcp_result") return false;
  return task === ofTask || (task === undefined && String(code).startsWith("STORE_"));
}

/** After these a question may be answered, or no request waits for its answer. */
const endsQuestions: ReadonlySet<string> = new Set(["answers", "answered", "answer_accepted", "requests", "leaves"]);

/** G5: a client that comes back with an event id of a call that it cancelled is answered as after the end of any call. */
function checkCursors({ events }: Evidence): readonly Violation[] {
  return eventsOf(events, "mcp_failed")
    .filter(({ isCancelled, status }) => isCancelled === true && status === 400)
    .map(({ caller, atMs }) => ({
      rule: "G5",
      text: `${String(caller)} came back to a call that it had cancelled at ${atMs} ms, and its event id was refused as wrong.`,
    }));
}

/** For so long a server may be away without a loss of the calls of clients that come back twice. */
const awayMs = 15_000;
/** Where the server itself ended a stream, it says when it is there again. */
const polledMs = 1_000;

/** Liveness: a client that comes back when its server says so does not give up earlier. */
function checkComesBack({ events }: Evidence): readonly Violation[] {
  return eventsOf(events, "mcp_gives_up")
    .filter(({ afterMs, retryMs }) => Number(afterMs) < awayMs && retryMs !== polledMs)
    .map(({ caller, afterMs, atMs }) => ({
      rule: "liveness",
      text: `${String(caller)} gave its call up at ${atMs} ms, ${Number(afterMs)} ms after the last that it heard.`,
    }));
}
