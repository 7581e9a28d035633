import { type Evidence, eventsOf, type Violation } from "./evidence.js";

/**
 * G2: a tool without checkpoints whose run was cut off does not run again, unless it says that it may, it has a durable step (then it
 * always does), or the same call continues its task. A run that ended by itself when its signal aborted was not cut off.
 */
export function checkOnce({ events, tasks }: Evidence): readonly Violation[] {
  const runs = eventsOf(events, "attempt").filter(({ tool }) => tool === "once");
  const nameOf = ({ task, attempt }: { readonly [fact: string]: unknown }) => `${task} ${attempt}`;
  const returned = new Set(eventsOf(events, "returns").map(nameOf));
  const stopped = new Set(
    eventsOf(events, "leaves")
      .map(nameOf)
      .filter((name) => !returned.has(name)),
  );
  const stepped = new Set(eventsOf(events, "step_done").map(({ task }) => String(task)));
  const given = tasks.filter(({ record }) => record.error?.code === "OUTCOME_UNKNOWN" && stepped.has(record.id));
  const repeated = tasks
    .filter(({ record }) => record.tool === "once")
    .flatMap(({ record: { id, generation } }) => {
      const own = runs.filter((run) => run.task === id && !stopped.has(nameOf(run)));
      const times = own.map(({ atMs }) => atMs).join(", ");
      return own.length <= generation
        ? []
        : [{ rule: "G2", text: `${id}, in generation ${generation}, ran at ${times} ms, and has no checkpoints.` }];
    });
  return [
    ...repeated,
    ...given.map(({ record: { id } }) => ({ rule: "G2", text: `${id} was given up after its step was durable.` })),
  ];
}

/** After this time a child has heard of the end of its parent. */
const longMs = 60_000;

/** G2, G8: a key of a parent has one child, and a child does not work on for long when its parent was cancelled. */
export function checkChildren({ plan, events, tasks }: Evidence): readonly Violation[] {
  const clocksAreTrue = !eventsOf(events, "fault").some(({ fault }) => fault === "clock");
  const parents = new Map(tasks.map(({ record }) => [record.id, record]));
  const known = new Map<string, string>();
  return tasks.flatMap(({ record }): readonly Violation[] => {
    if (record.parent === undefined) return [];
    const call = `${record.parent.key} of ${record.parent.id}`;
    const other = known.get(call);
    known.set(call, record.id);
    // A restart from nothing calls again.
    if (other !== undefined && plan.tool?.onVersionChange !== "restart")
      return [{ rule: "G2", text: `The call ${call} made ${other} and ${record.id}.` }];
    const parent = parents.get(record.parent.id);
    if (parent?.status !== "cancelled" || record.status !== "completed" || !clocksAreTrue) return [];
    const laterMs = Date.parse(record.finishedAt ?? "") - Date.parse(parent.finishedAt ?? "");
    const text = `${record.id} completed ${laterMs} ms after ${parent.id} was cancelled, which had called it.`;
    return laterMs > longMs ? [{ rule: "G8", text }] : [];
  });
}
