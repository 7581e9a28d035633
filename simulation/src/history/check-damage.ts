import { type Evidence, eventsOf, type Violation } from "./evidence.js";

/** A task that the store set aside, and the code with which it says so to who asks for it. */
export interface SetAside {
  readonly task: string;
  readonly code: string | undefined;
  /** What the store's report says. */
  readonly report: string;
}

/** G12: what is set aside was damaged, and is reported as such. */
export function checkDamage({ events }: Evidence, setAside: readonly SetAside[]): readonly Violation[] {
  const rotted = new Set(eventsOf(events, "rotted").map(({ task }) => task));
  return setAside.flatMap(({ task, code, report }) => {
    if (!rotted.has(task))
      return [{ rule: "G12", text: `${task} was set aside, and nothing had damaged it: ${report}` }];
    if (code === "TASK_CORRUPT") return [];
    return [{ rule: "G12", text: `${task} was set aside as damaged, and who asks for it is answered with ${code}.` }];
  });
}

/**
 * Leaves out the tasks of which a database lost a part when a standby took over that had not got it: what was acknowledged
 * may be missing then. All else is judged as if nothing had been lost.
 */
export function withoutLostTails(evidence: Evidence): Evidence {
  const lost = eventsOf(evidence.events, "lost_tail").map(({ task }) => ({ task: String(task), code: "", report: "" }));
  return lost.length === 0 ? evidence : withoutDamaged(evidence, lost);
}

/**
 * Leaves out what concerns tasks that were set aside: their commits may be lost, and their calls begin again. All else is
 * judged as if nothing had been damaged.
 */
export function withoutDamaged(evidence: Evidence, setAside: readonly SetAside[]): Evidence {
  const damaged = new Set<unknown>(setAside.map(({ task }) => task));
  return {
    ...evidence,
    events: evidence.events.filter(
      // A program that got its result before the damage has it.
      ({ task, kind }) => !damaged.has(task) || kind === "client_result",
    ),
    tasks: evidence.tasks.filter(({ record }) => !damaged.has(record.id)),
  };
}
