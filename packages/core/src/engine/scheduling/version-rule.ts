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
 * A task runs on its own version while a living worker offers it; else, when the wait is over, on the newest version that
 * can continue it. Code that cannot read it leaves it alone.
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
  const able = others.filter((other) => refusalOf(task, other) === undefined);
  const message = refusalOf(task, own);
  if (message !== undefined) return able.length > 0 ? { kind: "leave" } : { kind: "refuse", message };
  return able.some((other) => isNewer(other, own)) ? { kind: "leave" } : { kind: "change" };
}

function isOfVersion(task: VersionedTask, { version, stateShape }: ToolOffer): boolean {
  return version === task.toolVersion && hasShape(task, stateShape);
}

function hasShape({ state, stateShape }: VersionedTask, declared: string | undefined): boolean {
  return state === undefined || fitsShape(stateShape, declared);
}

/** Why code may not continue a task, as a sentence, or `undefined` when it may. */
export function refusalOf(task: VersionedTask, offer: ToolOffer): string | undefined {
  const { tool, toolVersion, stateShape } = task;
  if (offer.version === toolVersion) {
    if (hasShape(task, offer.stateShape)) return undefined;
    const shapes = `${stateShape} when the task ran, ${offer.stateShape} now`;
    return refusalMessage(
      `the first state of ${tool} has another shape (${shapes}), and its version is still ${toolVersion}`,
      `Start the code from before the change, give the new code another version and migrate`,
      offer.version,
    );
  }
  const unknown = [toolVersion, task.stateVersion ?? toolVersion].find((version) => !knows(offer, version));
  const start = `Start a server with version ${toolVersion}`;
  if (unknown !== undefined) {
    return refusalMessage(
      `it needs version ${unknown} of ${tool}, and version ${offer.version} does not say that it continues tasks of version ${unknown}`,
      `${start}, declare accepts: [${JSON.stringify(unknown)}] or migrate`,
      offer.version,
    );
  }
  const readsNoState = offer.onVersionChange === "restart" || offer.onVersionChange === "fail";
  if (offer.migrates || offer.accepts !== undefined || readsNoState || hasShape(task, offer.stateShape))
    return undefined;
  const shapes = `${stateShape} in version ${toolVersion}, ${offer.stateShape} in version ${offer.version}`;
  return refusalMessage(
    `the first state of ${tool} has another shape (${shapes})`,
    `${start}, declare migrate`,
    offer.version,
  );
}

/** How each {@link refusalMessage} begins. */
export const waitsForCode = "Waits for code that can read it";

/** The sentence for a task that code cannot read. */
export function refusalMessage(reason: string, advice: string, version: string): string {
  return `${waitsForCode}: ${reason}. ${advice}, or decide with resumable-mcp store: resume --tool-version ${version}, restart, or cancel.`;
}

/** Whether code says that it continues tasks of a version. */
function knows({ version, accepts, migrates, onVersionChange }: ToolOffer, other: string): boolean {
  if (version === other) return true;
  if (accepts !== undefined) return accepts.includes(other);
  const order = compareVersions(version, other);
  if (order !== undefined) return order > 0;
  // What has no order says nothing of what it knows; what reads no state need not know it.
  return migrates === true || onVersionChange === "restart" || onVersionChange === "fail";
}

function isNewer(left: ToolOffer, right: ToolOffer): boolean {
  if (left.accepts?.includes(right.version)) return true;
  return (compareVersions(left.version, right.version) ?? 0) > 0;
}

/**
 * Compares versions that are numbers with dots, part by part; a missing part is 0, and a `v` may be in front. Above 0 when
 * the left one is later; `undefined` where one has another form, which has no order.
 */
export function compareVersions(left: string, right: string): number | undefined {
  const [lefts, rights] = [partsOf(left), partsOf(right)];
  if (lefts === undefined || rights === undefined) return undefined;
  for (let index = 0; index < Math.max(lefts.length, rights.length); index++) {
    const difference = (lefts[index] ?? 0n) - (rights[index] ?? 0n);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
  }
  return 0;
}

function partsOf(version: string): readonly bigint[] | undefined {
  const [, numbers] = /^v?(\d{1,100}(?:\.\d{1,100}){0,20})$/.exec(version) ?? [];
  return numbers?.split(".").map(BigInt);
}
