import type { ToolOffer } from "../../store/store.js";
import type { TaskRecord } from "../../task/task-record.js";
import { fitsShape } from "../../tool/state-shape.js";

/** What the rule needs to know of a task. */
export type VersionedTask = Pick<
  TaskRecord,
  "tool" | "toolVersion" | "stateVersion" | "stateShape" | "attempt" | "state"
>;

/** What one worker does with a task, as far as versions decide. */
export type VersionVerdict =
  /** Runs it: it is of this version, or was not begun. */
  | { readonly kind: "run" }
  /** Continues it as `onVersionChange` says. */
  | { readonly kind: "change" }
  /** Leaves it to another living worker. */
  | { readonly kind: "leave" }
  /** Waits: a worker with the task's own version may come back. */
  | { readonly kind: "wait" }
  /** Cannot read it, and no other living worker can. */
  | { readonly kind: "refuse"; readonly message: string };

/**
 * Decides whether a worker may run a task. Pure.
 *
 * A task runs on its own version while a living worker offers it; else, when the wait is over, on one that accepts it. Code
 * that cannot read it leaves it alone.
 *
 * @param others what the other living workers offer of this tool.
 * @param isWaitOver the task's own version was missing for `versionWaitMs`.
 */
export function judgeVersion(
  task: VersionedTask,
  own: ToolOffer,
  others: readonly ToolOffer[],
  isWaitOver: boolean,
): VersionVerdict {
  if (isOfVersion(task, own)) return { kind: "run" };
  if (others.some((other) => isOfVersion(task, other))) return { kind: "leave" };
  // Nothing of it was written by any code but its input.
  if (task.attempt === 0) return { kind: "run" };
  if (!isWaitOver) return { kind: "wait" };
  const message = findRefusal(task, own);
  if (message === undefined) return { kind: "change" };
  const isReadable = others.some((other) => findRefusal(task, other) === undefined);
  return isReadable ? { kind: "leave" } : { kind: "refuse", message };
}

/** Whether code is of a task's version, and its first state of the shape that the task's has. */
export function isOfVersion({ toolVersion, state, stateShape }: VersionedTask, offer: ToolOffer): boolean {
  return offer.version === toolVersion && (state === undefined || fitsShape(stateShape, offer.stateShape));
}

/** Why code may not continue a task, as a sentence, or `undefined` when it may. */
export function findRefusal(task: VersionedTask, offer: ToolOffer): string | undefined {
  const { tool, toolVersion, stateShape, stateVersion = toolVersion } = task;
  if (isOfVersion(task, offer)) return undefined;
  if (offer.version === toolVersion) {
    const shapes = `${stateShape} when the task ran, ${offer.stateShape} now`;
    return refusalMessage(
      `the first state of ${tool} has another shape (${shapes}), and its version is still ${toolVersion}`,
      `Start the code from before the change, give the new code another version and migrate`,
      offer.version,
    );
  }
  const unknown = [toolVersion, stateVersion].find((version) => !accepts(offer, version));
  if (unknown === undefined) return undefined;
  return refusalMessage(
    `it needs version ${unknown} of ${tool}, and version ${offer.version} does not say that it continues tasks of version ${unknown}`,
    `Start a server with version ${toolVersion}, declare accepts: [${JSON.stringify(unknown)}]`,
    offer.version,
  );
}

function accepts(offer: ToolOffer, version: string): boolean {
  return version === offer.version || [version, "*"].some((each) => offer.accepts?.includes(each));
}

/** How each {@link refusalMessage} begins. */
export const waitsForCode = "Waits for code that can read it";

/** The sentence for a task that code cannot read. */
export function refusalMessage(reason: string, advice: string, version: string): string {
  return `${waitsForCode}: ${reason}. ${advice}, or decide with resumable-mcp store: resume --tool-version ${version}, restart, or cancel.`;
}
