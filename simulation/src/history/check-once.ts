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
