import { type Evidence, eventsOf, type Violation } from "./evidence.js";

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
