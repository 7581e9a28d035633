import { isJsonObject } from "@resumable-mcp/core";
import { artifactsOf } from "@resumable-mcp/core/store";
import {
  checkLimits,
  type Evidence,
  type FinalTask,
  type HistoryEvent,
  type PlannedFacts,
} from "@resumable-mcp/simulation/history";
import { histogram } from "../kills/kill-plan.js";
import { anyTime, problemsOf } from "../kills/storm-history.js";

/** What a storm left in its store. */
export interface StoredTasks {
  /** All of them, known to a caller or not. */
  readonly tasks: readonly FinalTask[];
  /** Damage, and more than one writer at a time. */
  readonly problems: readonly string[];
  readonly lines: readonly string[];
}

/** What is known of a storm at its end. */
export interface StormFacts {
  readonly stored: StoredTasks;
  readonly calls: readonly PlannedFacts[];
  /** The calls that have no result. */
  readonly open: readonly string[];
  readonly events: readonly HistoryEvent[];
  readonly limits: Limits;
}

/** How many tasks a process may run at once. */
interface Limits {
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
}

type Judged = Pick<StormFacts, "calls" | "events" | "limits"> & Pick<StoredTasks, "tasks">;

/** Judges what clients saw and what tools did by the rules of the simulator, and what is stored. */
export function judge({ stored, calls, open, events, limits }: StormFacts): readonly string[] {
  const { tasks, problems } = stored;
  const known = new Set(calls.map(({ name }) => name));
  const judged = { calls, events, tasks, limits };
  return [
    ...problems,
    ...tasks.filter((task) => !known.has(runOf(task))).map(({ record }) => `task ${record.id} belongs to no call`),
    ...open.map((name) => `${name} has no result.`),
    ...failures(events),
    ...twoWriters(events),
    ...forgotten(judged),
    ...wrongOutputs(judged),
    ...tooManyRunning(judged),
    ...evidenceOfPlaces({ ...judged, tasks: tasks.map((task) => asEnded(task, judged)) }).flatMap(problemsOf),
  ];
}

/**
 * A request of a client that died can arrive after the next client has the result: it begins a task that has no caller, and waits
 * for one. It counts as cancelled.
 */
function asEnded(task: FinalTask, { events, tasks }: Judged): FinalTask {
  const { record } = task;
  const isWaiting = record.status === "paused" || record.status === "input_required";
  const run = runOf(task);
  const died = events.some(({ kind, caller }) => kind === "client_dies" && caller === run);
  const received = events.find(({ kind, caller }) => kind === "client_result" && caller === run)?.task;
  const before = tasks.find((other) => other.record.id === received)?.record.finishedAt;
  const isLate = isWaiting && died && before !== undefined && record.createdAt > before;
  return isLate ? { ...task, record: { ...record, status: "cancelled" } } : task;
}

function runOf({ record }: FinalTask): string {
  return isJsonObject(record.input) ? String(record.input.run) : "";
}

/** A result that is none of a completed task. */
function failures(events: readonly HistoryEvent[]): readonly string[] {
  return events
    .filter(({ kind, status }) => kind === "client_result" && status !== "completed")
    .map(({ caller, task, status, code }) => `${caller} has ${status} (${code}) as the result of ${task}.`);
}

/** An attempt runs in one process. */
function twoWriters(events: readonly HistoryEvent[]): readonly string[] {
  const workers = new Map<string, unknown>();
  return events.flatMap(({ kind, task, attempt, worker }) => {
    if (kind !== "attempt") return [];
    const name = `attempt ${attempt} of ${task}`;
    const known = workers.get(name) ?? worker;
    workers.set(name, known);
    return known === worker ? [] : [`${name} began in ${known} and in ${worker}`];
  });
}

/** What a tool saw done is kept for as long as its task lives. */
function forgotten({ events, tasks }: Judged): readonly string[] {
  const records = new Map(tasks.map(({ record }) => [record.id, record]));
  return events.flatMap(({ kind, task, key }) => {
    if (kind !== "step_done" && kind !== "map_done") return [];
    const remembered = records.get(String(task))?.remembered ?? {};
    return Object.hasOwn(remembered, String(key)) ? [] : [`G1: ${key} of ${task} was done, and is not in its task.`];
  });
}

/** A task that was called gives its caller what its own steps gave. */
function wrongOutputs({ events, tasks }: Judged): readonly string[] {
  const given = new Map<string, unknown[]>();
  for (const { kind, task, key, value } of events)
    if (kind === "step_done") given.set(`${task}/${key}`, [...(given.get(`${task}/${key}`) ?? []), value]);
  return tasks.flatMap(({ record: { id, parent, output } }) => {
    const received = parent === undefined ? [] : (given.get(`${parent.id}/${parent.key}`) ?? []);
    const right = JSON.stringify({ values: ["part-1", "part-2"].map((key) => given.get(`${id}/${key}`)?.[0]) });
    const wrong = received.filter((value) => value !== right || value !== JSON.stringify(output));
    return wrong.map((value) => `G2: ${parent?.id} received ${value} of ${id}, whose steps gave ${right}.`);
  });
}

/** Slots are those of a process, for all places together. */
function tooManyRunning({ calls, events, tasks, limits }: Judged): readonly string[] {
  const evidence = { plan: { limits: { ...limits }, calls }, patience: anyTime, events, tasks };
  return checkLimits(evidence).map(({ rule, text }) => `${rule}: ${text}`);
}

/**
 * The evidence of each place of a client by itself, which has its calls one after another: the rules look at each pair of calls.
 * What processes did belongs to each.
 */
function evidenceOfPlaces({ calls, events, tasks, limits }: Judged): readonly Evidence[] {
  const places = new Map<string, { calls: PlannedFacts[]; events: HistoryEvent[]; tasks: FinalTask[] }>();
  const placeOf = (name: string) => {
    const key = name.replace(/-\d+$/, "");
    const known = places.get(key) ?? { calls: [], events: [], tasks: [] };
    places.set(key, known);
    return known;
  };
  const placeOfTask = new Map<unknown, ReturnType<typeof placeOf>>();
  for (const call of calls) placeOf(call.name).calls.push(call);
  for (const task of tasks) {
    const place = placeOf(runOf(task));
    place.tasks.push(task);
    placeOfTask.set(task.record.id, place);
  }
  for (const event of events) {
    const place = event.caller === undefined ? placeOfTask.get(event.task) : placeOf(String(event.caller));
    if (place !== undefined) place.events.push(event);
    else for (const each of places.values()) each.events.push(event);
  }
  return [...places.values()].map((place) => ({
    plan: { limits: { ...limits }, calls: place.calls },
    patience: anyTime,
    ...place,
  }));
}

/** Says what happened. */
export function describe({ stored, events, limits }: StormFacts): readonly string[] {
  const { tasks, lines } = stored;
  const continued = events
    .filter(({ kind }) => kind === "client_continues")
    .map(({ code }) => `calls made again after ${code ?? "a pause"}`);
  const count = (kind: string) => events.filter((event) => event.kind === kind).length;
  const journals = tasks.flatMap(({ followed }) =>
    followed.flatMap((each) => (each.kind === "event" ? [each.event] : [])),
  );
  const inJournals = (is: (event: (typeof journals)[number]) => boolean) => journals.filter(is).length;
  const artifacts = tasks.reduce((sum, { record }) => sum + artifactsOf(record).length, 0);
  const { maxRunning, maxRunningPerOwner } = limits;
  const full = (fewer: Partial<Limits>) =>
    tooManyRunning({ calls: [], events, tasks, limits: { ...noLimits, ...fewer } }).length;
  return [
    `${tasks.length} tasks, ${inJournals(({ type }) => type === "checkpoint")} checkpoints, each by its one writer`,
    `${inJournals((event) => event.type === "attempt_ended" && event.reason === "crashed")} crashed attempts in the journals`,
    `${inJournals(({ type }) => type === "answered")} questions answered, ${count("answer_refused")} answers refused`,
    `${count("step_fails")} attempts of steps failed, ${count("map_done")} maps were done`,
    `${tasks.filter(({ record }) => record.parent !== undefined).length} tasks were called, ${artifacts} artifacts kept`,
    `${events.filter(({ snapshot }) => snapshot === true).length} snapshots shown to followers`,
    `${full({ maxRunning: maxRunning - 1 })} times a replica ran the ${maxRunning} tasks that it may run`,
    `${full({ maxRunningPerOwner: maxRunningPerOwner - 1 })} times one owner had its ${maxRunningPerOwner} of them`,
    ...histogram(continued),
    ...lines,
    `${events.length} events of callers, tools and processes, judged by the rules of the simulator`,
  ];
}

const noLimits: Limits = { maxRunning: Number.POSITIVE_INFINITY, maxRunningPerOwner: Number.POSITIVE_INFINITY };
