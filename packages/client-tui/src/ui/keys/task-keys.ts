import { canDo, type TaskVerb } from "@resumable-mcp/protocol/display";
import { type BoardTask, isAway } from "../../model/board-task.js";

/** The key of each request, on every screen with tasks. */
export const verbKeys = { p: "pause", r: "resume", c: "cancel", d: "delete" } as const;

const verbOf: ReadonlyMap<string, TaskVerb> = new Map<string, TaskVerb>([...Object.entries(verbKeys), ["a", "answer"]]);
/** Keys that need a task at the cursor. */
const ofTask = new Set(["Enter", "Space"]);
/** The key that asks the servers again. */
const refreshKey = "g";

/** What there is for keys to act on. */
export interface KeyTargets {
  /** The marked tasks, else the one at the cursor. */
  readonly chosen: readonly BoardTask[];
  /** Some task was interrupted, and `R` resumes all that were. */
  readonly interrupted: boolean;
}

/** The keys of a table that do something now, in its order; the key that asks again says so where a server is away. */
export function offeredKeys(table: readonly string[], { chosen, interrupted }: KeyTargets): readonly string[] {
  const away = chosen.some(isAway);
  const offered = table.filter((line) => {
    const [key = ""] = line.split(" ");
    if (key === "R") return interrupted;
    const verb = verbOf.get(key);
    if (verb !== undefined) return chosen.some((task) => canDo(verb, task));
    return chosen.length > 0 || !ofTask.has(key);
  });
  if (!away) return offered;
  const others = offered.filter((line) => !line.startsWith(`${refreshKey} `));
  return [...others.slice(0, 1), `${refreshKey} retry now`, ...others.slice(1)];
}
