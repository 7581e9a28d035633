import { ResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import { isFinal, type TaskRecord, unfinishedStatuses } from "../../task/task-record.js";
import type { JsonSchemaValidator } from "../../tool/schema.js";
import type { Tool } from "../../tool/tool.js";
import { inputOfAttempt, Refusal, stateOfAttempt } from "../attempt/task-context.js";
import { readInstant, systemClock } from "../clock.js";
import { readIfPresent } from "./read-tasks.js";
import { toOffer } from "./tool-table.js";
import { findRefusal } from "./version-rule.js";

/** How many unfinished tasks a version of a tool has. */
export interface VersionUse {
  readonly tool: string;
  readonly version: string;
  readonly tasks: number;
}

/** A task that the code at hand would not continue. */
export interface RefusedTask {
  readonly taskId: string;
  readonly tool: string;
  readonly version: string;
  readonly reason: string;
}

/** What {@link surveyVersions} found. */
export interface VersionSurvey {
  readonly versions: readonly VersionUse[];
  readonly refused: readonly RefusedTask[];
}

/**
 * Counts unfinished tasks by tool and version, and tries which ones the code at hand would refuse: by the rule for versions, by their
 * input and by their state. Runs `migrate`, changes nothing. A damaged task is left out.
 *
 * @param code without it nothing is tried.
 */
export async function surveyVersions(
  store: Pick<Store, "listTasks" | "getTask">,
  code?: { readonly tools: readonly Tool[]; readonly validateJsonSchema: JsonSchemaValidator },
): Promise<VersionSurvey> {
  const uses = new Map<string, VersionUse>();
  const refused: RefusedTask[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listTasks({ statuses: unfinishedStatuses, limit: fixedLimits.taskPage, cursor });
    for (const { id } of page.tasks) {
      const record = (await readIfPresent(store, id))?.record;
      if (record === undefined || isFinal(record.status)) continue;
      const { tool, toolVersion: version } = record;
      const name = JSON.stringify([tool, version]);
      uses.set(name, { tool, version, tasks: (uses.get(name)?.tasks ?? 0) + 1 });
      const reason = code && (await whyRefused(record, code.tools, code.validateJsonSchema));
      if (reason !== undefined) refused.push({ taskId: id, tool, version, reason });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { versions: [...uses].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, use]) => use), refused };
}

async function whyRefused(
  record: TaskRecord,
  tools: readonly Tool[],
  validate: JsonSchemaValidator,
): Promise<string | undefined> {
  const tool = tools.find(({ name }) => name === record.tool);
  if (tool === undefined) return `No tool is named ${record.tool}.`;
  const isBegun = record.attempt > 0;
  const byRule = isBegun ? findRefusal(record, toOffer(tool)) : undefined;
  if (byRule !== undefined) return byRule;
  const policy = isBegun && record.toolVersion !== tool.version ? tool.onVersionChange : undefined;
  if (policy === "fail") return `Version ${tool.version} declares onVersionChange: "fail": the task would fail.`;
  try {
    await inputOfAttempt(tool, record, validate);
    if (policy !== "restart") await stateOfAttempt(tool, record, validate);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * Carries out an operator's decision: the version continues the task, whatever it declares, from its last checkpoint or from nothing.
 *
 * @throws {@link ResumableError} `TASK_NOT_FOUND`; `ILLEGAL_TRANSITION` for a finished task, and for one that a process runs.
 */
export async function assignVersion(
  store: Pick<Store, "getTask" | "acquireLease" | "commit" | "releaseLease">,
  taskId: string,
  { toolVersion, fromState }: { readonly toolVersion?: string; readonly fromState: boolean },
): Promise<TaskRecord> {
  const now = readInstant(systemClock);
  const taken = await store.acquireLease({ taskId, worker: "operator", ttlMs: 15_000, now });
  if (taken === undefined) throw refusedDecision(taskId, "running", "a process runs it. Pause it first");
  const { lease, snapshot } = taken;
  try {
    const { record } = snapshot;
    if (isFinal(record.status)) throw refusedDecision(taskId, record.status, "it is over. Call its tool again");
    const ended = record.live ? [{ type: "attempt_ended", reason: "interrupted" } as const] : [];
    const generation = record.generation + 1;
    const restarted = fromState ? [] : [{ type: "restarted", generation, fromState: false } as const];
    const assigned = toolVersion === undefined ? [] : [{ type: "assigned", toolVersion } as const];
    const events = [...ended, ...restarted, ...assigned];
    return (await store.commit({ lease, afterSeq: record.lastSeq, events, consume: [], now })).record;
  } finally {
    await store.releaseLease(lease);
  }
}

function refusedDecision(taskId: string, status: string, why: string): ResumableError {
  return new ResumableError("ILLEGAL_TRANSITION", `Task ${taskId} cannot be given to a version: ${why}.`, {
    details: { taskId, status, wanted: "resume" },
  });
}
