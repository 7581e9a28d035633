import { isJsonObject, type Json } from "@resumable-mcp/core";
import { type Evidence, eventsOf, type Violation } from "./evidence.js";

/** The rules about what a caller is shown of its call, and about the result. */
export const resultRules: readonly ((evidence: Evidence) => readonly Violation[])[] = [
  checkMissed,
  checkResults,
  checkReceived,
];

/** G5: a caller is shown every checkpoint with progress, or a snapshot that stands in its place. */
function checkMissed({ events, tasks }: Evidence): readonly Violation[] {
  const progressOf = committedProgress({ events, tasks });
  const shown = eventsOf(events, "mcp_progress").filter(({ snapshot }) => snapshot !== true);
  const steps = [
    ...shown.map(({ caller, task, before, progress }) => ({ caller, task, from: before, to: progress })),
    ...[...eventsOf(events, "result"), ...eventsOf(events, "mcp_result").filter(({ isWhole }) => isWhole)].map(
      ({ caller, task, shown: from }) => ({ caller, task, from, to: Infinity }),
    ),
  ];
  return steps.flatMap(({ caller, task, from, to }) => {
    if (typeof from !== "number" || from < 0) return [];
    const missed = progressOf.get(String(task))?.find((progress) => progress > from && progress < Number(to));
    if (missed === undefined) return [];
    const next = to === Infinity ? "the result" : String(to);
    return [{ rule: "G5", text: `${caller} was shown ${next} of ${task} after ${from}, and never ${missed}.` }];
  });
}

/** What each task's checkpoints say of its progress, as its tool noted it and as its journal still has it. */
function committedProgress({
  events,
  tasks,
}: Pick<Evidence, "events" | "tasks">): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>();
  const add = (task: string, progress: unknown) => {
    if (typeof progress !== "number") return;
    const known = found.get(task);
    if (known === undefined) found.set(task, new Set([progress]));
    else known.add(progress);
  };
  for (const { task, progress } of eventsOf(events, "committed")) add(String(task), progress);
  for (const { record, followed } of tasks) {
    for (const each of followed) {
      if (each.kind === "event" && each.event.type === "checkpoint") add(record.id, each.event.progress);
    }
  }
  return new Map([...found].map(([task, values]) => [task, [...values].toSorted((one, other) => one - other)]));
}

/** G2: a completed task has what its input asks for, whatever happened on the way, and its callers received that. */
function checkResults({ plan, events, tasks }: Evidence): readonly Violation[] {
  const expected = new Map(
    plan.calls.flatMap(({ input, expects }) => (expects === undefined ? [] : [[JSON.stringify(input), expects]])),
  );
  const completed = tasks.filter(({ record }) => record.status === "completed");
  const wrong = completed.flatMap(({ record, items }) => {
    const expects = expected.get(JSON.stringify(record.input));
    if (expects === undefined) return [];
    const [found, right] = [describe(record.output, items.length), describe(expects.output, expects.items)];
    return found === right ? [] : [`${record.id} ended with ${found}, not ${right}.`];
  });
  const byId = new Map(completed.map((task) => [task.record.id, task]));
  const mistaken = eventsOf(events, "result").flatMap(({ caller, task, output, items }) => {
    const final = byId.get(String(task));
    if (final === undefined || typeof output !== "string") return [];
    const right = describe(final.record.output, final.items.length);
    const found = `${output} and ${items} items`;
    return found === right ? [] : [`${caller} received ${found} of ${task}, not ${right}.`];
  });
  return [...wrong, ...mistaken].map((text) => ({ rule: "G2", text }));
}

/** G1, G7: a whole result is that of a task which completed with it, and who waits for a task by its id finds it. */
function checkReceived({ events, tasks }: Evidence): readonly Violation[] {
  const byId = new Map(tasks.map(({ record }) => [record.id, record]));
  return eventsOf(events, "mcp_result").flatMap(({ caller, task, isWhole, waits, done, code, atMs }) => {
    const record = byId.get(String(task));
    if (record === undefined) return [];
    if (waits === true && code === "TASK_NOT_FOUND")
      return [
        {
          rule: "G7",
          text: `${caller} waited for ${task} at ${atMs} ms, and the answer was that there is no such task.`,
        },
      ];
    const output = record.output;
    const isSame = record.status === "completed" && isJsonObject(output) && output.done === done;
    return isWhole !== true || isSame
      ? []
      : [{ rule: "G1", text: `${caller} received a result of ${task} at ${atMs} ms, which is ${record.status}.` }];
  });
}

function describe(output: Json | undefined, items: number): string {
  return `${JSON.stringify(output)} and ${items} items`;
}
