import { isJsonObject } from "@resumable-mcp/core";
import {
  checkLimits,
  type Evidence,
  type FinalTask,
  type HistoryEvent,
  type PlannedFacts,
} from "@resumable-mcp/simulation/history";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { histogram } from "../kills/kill-plan.js";
import { anyTime, finalTask, problemsOf } from "../kills/storm-history.js";
import { type JournalRow, proveRows, readJournalRows } from "./journal-rows.js";
import { slots } from "./replica-command.js";

/** What a storm of replicas left in its database. */
interface StoredTasks {
  readonly journals: ReadonlyMap<string, readonly JournalRow[]>;
  readonly tasks: readonly FinalTask[];
}

/** What is known of such a storm at its end. */
interface ReplicaStormFacts extends StoredTasks {
  readonly calls: readonly PlannedFacts[];
  /** The calls that have no result. */
  readonly open: readonly string[];
  readonly events: readonly HistoryEvent[];
}

/** Judges what clients saw and what tools did by the rules of the simulator, and the rows of all journals. */
export function judgeReplicas({ journals, tasks, calls, open, events }: ReplicaStormFacts): readonly string[] {
  const known = new Set(calls.map(({ name }) => name));
  return [
    ...[...journals].flatMap(([id, rows]) => proveRows(rows).map((problem) => `${id}: ${problem}`)),
    ...tasks.filter((task) => !known.has(runOf(task))).map(({ record }) => `task ${record.id} belongs to no call`),
    ...open.map((name) => `${name} has no result.`),
    ...failures(events),
    ...twoWriters(events),
    ...tooManyRunning({ calls, events, tasks }),
    ...evidenceOfPlaces({ calls, events, tasks }).flatMap(problemsOf),
  ];
}

/** Reads all tasks of a database, known to a caller or not. */
export async function readStoredTasks(url: string): Promise<StoredTasks> {
  const journals = await readJournalRows(url);
  const store = createPostgresStore({ connectionString: url });
  const tasks: FinalTask[] = [];
  const left = [...journals.keys()];
  // Reads that wait at the same time share a statement.
  const read = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const task = await finalTask(store, id);
      if (task !== undefined) tasks.push(task);
    }
  };
  try {
    await Promise.all(Array.from({ length: 16 }, read));
    return { journals, tasks };
  } finally {
    await store.close();
  }
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

/** Slots are those of a process, for all places together. */
function tooManyRunning(
  given: Pick<Evidence, "events" | "tasks"> & Pick<ReplicaStormFacts, "calls">,
  limits: Partial<typeof slots> = slots,
): readonly string[] {
  const { calls, events, tasks } = given;
  const evidence = { plan: { limits, calls }, patience: anyTime, events, tasks };
  return checkLimits(evidence).map(({ rule, text }) => `${rule}: ${text}`);
}

/**
 * The evidence of each place of a client by itself, which has its calls one after another: the rules look at each pair of calls.
 * What processes did belongs to each.
 */
function evidenceOfPlaces({
  calls,
  events,
  tasks,
}: Pick<ReplicaStormFacts, "calls" | "events" | "tasks">): readonly Evidence[] {
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
    plan: { limits: slots, calls: place.calls },
    patience: anyTime,
    ...place,
  }));
}

/** Says what happened. */
export function describeReplicas(events: readonly HistoryEvent[], tasks: readonly FinalTask[]): readonly string[] {
  const continued = events
    .filter(({ kind }) => kind === "client_continues")
    .map(({ code }) => String(code ?? "a pause"));
  const count = (kind: string) => events.filter((event) => event.kind === kind).length;
  const journals = tasks.flatMap(({ followed }) =>
    followed.flatMap((each) => (each.kind === "event" ? [each.event] : [])),
  );
  const met = (limits: Partial<typeof slots>) => tooManyRunning({ calls: [], events, tasks }, limits).length;
  const inJournals = (is: (event: (typeof journals)[number]) => boolean) => journals.filter(is).length;
  return [
    `${tasks.length} tasks, ${inJournals(({ type }) => type === "checkpoint")} checkpoints, each by its one writer`,
    `${inJournals((event) => event.type === "attempt_ended" && event.reason === "crashed")} crashed attempts in the journals`,
    `${inJournals(({ type }) => type === "answered")} questions answered, ${count("answer_refused")} answers refused`,
    `${met({ maxRunning: slots.maxRunning - 1 })} times a replica ran the ${slots.maxRunning} tasks that it may run`,
    `${met({ maxRunningPerOwner: slots.maxRunningPerOwner - 1 })} times one owner had its ${slots.maxRunningPerOwner} of them`,
    ...histogram(continued).map(([code, times]) => `${times} calls made again after ${code}`),
    `${events.length} events of callers, tools and processes, judged by the rules of the simulator`,
  ];
}
