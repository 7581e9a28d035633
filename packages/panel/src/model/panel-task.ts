import {
  isFinal,
  isJsonObject,
  type JournalEvent,
  type JsonObject,
  type TaskFacts,
  type TaskJournal,
} from "@resumable-mcp/protocol";
import { type Away, addSample, type Pace, type PacedTask, stillRequested } from "@resumable-mcp/protocol/display";
import { boundedJson } from "./bounded.js";

/** A task as the panel shows it: what its server said last, and what the panel has seen of it before. */
export interface PanelTask extends PacedTask {
  /** Of a finished task: what its call returned. */
  readonly result?: JsonObject;
  readonly journal?: PanelJournal;
}

/** What is kept of a task's journal. */
export interface PanelJournal extends TaskJournal {
  /** The arguments are not cut. */
  readonly hasWholeArguments: boolean;
}

/** Events that are kept of one journal: the newest. */
export const maxJournalEvents = 2_000;
/** Characters that are kept of one event, and of the arguments of a call. */
const maxEventCharacters = 2_000;
const maxArgumentCharacters = 20_000;

/** A task after its server has said how it is. The same value where nothing has changed, so that nothing is drawn again. */
export function seenTask(known: PanelTask | undefined, info: TaskFacts, nowMs: number): PanelTask {
  if (known === undefined) return { info, pace: addSample([], { atMs: nowMs, progress: info.progress }) };
  if (known.away === undefined && known.gone === undefined && isSame(known.info, info)) return known;
  const requested = stillRequested(known, info.status);
  const sameRun = info.generation === known.info.generation;
  return {
    // Lists do not say it.
    info: {
      ...info,
      children: info.children ?? known.info.children,
      artifacts: info.artifacts ?? known.info.artifacts,
    },
    pace: paceAfter(known, info, nowMs),
    requested,
    // The result and the reason of a failure do not belong to the generation that continues.
    result: isFinal(info.status) && sameRun ? known.result : undefined,
    journal: known.journal,
  };
}

/** A task of which its server was asked alone: then it also says what was requested of it, by whichever client, what it waits for, and what it called. */
export function seenAlone(known: PanelTask | undefined, info: TaskFacts, nowMs: number): PanelTask {
  const task = seenTask(known, info, nowMs);
  const { requested, answered, waitsFor, children = [], artifacts } = info;
  const isSame =
    task.requested === requested &&
    isEqual(
      [task.info.answered, task.info.waitsFor, task.info.children, task.info.artifacts],
      [answered, waitsFor, children, artifacts],
    );
  return isSame ? task : { ...task, requested, info: { ...task.info, answered, waitsFor, children, artifacts } };
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Everything that a task says of itself comes from its journal and its lease. */
function isSame(left: TaskFacts, right: TaskFacts): boolean {
  return left.lastSeq === right.lastSeq && left.status === right.status && left.interrupted === right.interrupted;
}

/** While a task stands still, or its server is away, time says nothing of its pace. */
function paceAfter({ pace, info: { progress } }: PanelTask, info: TaskFacts, nowMs: number): Pace {
  if (info.status !== "running" || info.interrupted) return [];
  return pace.length > 0 && progress === info.progress
    ? pace
    : addSample(pace, { atMs: nowMs, progress: info.progress });
}

/** A task whose server is out of reach; what was known of its pace is over. */
export function awayTask(task: PanelTask, away: Away): PanelTask {
  return task.away !== undefined || isFinal(task.info.status) ? task : { ...task, away, pace: [] };
}

/** An event may have a text of any length, of which only the beginning is shown. */
function boundedEvent({ data, ...event }: JournalEvent): JournalEvent {
  const bounded = boundedJson(data, maxEventCharacters);
  return { ...event, data: isJsonObject(bounded) ? bounded : {} };
}

/** The arguments of a task, where all of them are known. */
export function wholeArguments({ journal }: PanelTask): JsonObject | undefined {
  return journal?.hasWholeArguments ? journal.arguments : undefined;
}

/** A task that is not looked at any more: what only its own view shows is read again when that is opened. */
export function leftTask(task: PanelTask): PanelTask {
  if (task.journal === undefined && task.result === undefined) return task;
  return { ...task, journal: undefined, result: undefined };
}

/** The journal with what came behind it; the oldest events make room. */
export function withEvents(
  journal: PanelJournal | undefined,
  { lastSeq, arguments: given, events }: TaskJournal,
): PanelJournal {
  const known = journal?.events ?? [];
  const last = known.at(-1)?.seq ?? 0;
  const added = events.filter(({ seq }) => seq > last).slice(-maxJournalEvents);
  return {
    lastSeq,
    ...(journal?.arguments === undefined
      ? boundedArguments(given)
      : { arguments: journal.arguments, hasWholeArguments: journal.hasWholeArguments }),
    events: [...known, ...added.map(boundedEvent)].slice(-maxJournalEvents),
  };
}

function boundedArguments(given: JsonObject | undefined): Pick<PanelJournal, "arguments" | "hasWholeArguments"> {
  const bounded = given && boundedJson(given, maxArgumentCharacters);
  if (!isJsonObject(bounded)) return { hasWholeArguments: false };
  return { arguments: bounded, hasWholeArguments: JSON.stringify(bounded) === JSON.stringify(given) };
}
