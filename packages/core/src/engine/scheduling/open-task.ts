import type { Lease } from "../../store/store.js";
import { onlyWaits, type TaskRecord, type TaskSnapshot } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import { withCompany } from "./company.js";
import { hasNewsOfChildren, isUnwanted, passOn, signalChildren, wakeParent } from "./family.js";
import type { SlotWait } from "./pick-next.js";
import { deathsOf, planAttempt, waitsUntil } from "./plan-attempt.js";
import type { ToolLimits } from "./tool-limits.js";
import type { VersionVerdict } from "./version-rule.js";
import type { Versions } from "./versions.js";

/** What came of opening a task. */
export type OpenedTask =
  /** Another process holds its lease. */
  | { readonly kind: "held" }
  /** All requests are carried out, the lease is given back, and there is nothing to run now. */
  | { readonly kind: "idle"; readonly snapshot: TaskSnapshot; readonly verdict: VersionVerdict["kind"] }
  /** The same, and a limit of its tool keeps the task from an attempt. */
  | { readonly kind: "held_back"; readonly snapshot: TaskSnapshot; readonly wait: SlotWait }
  /** An attempt is committed as started; the process that asked holds the lease. */
  | {
      readonly kind: "started";
      readonly lease: Lease;
      readonly record: TaskRecord;
      readonly tool: Tool;
      /** As it was before the attempt. */
      readonly before: TaskRecord;
    };

/**
 * Takes a task's lease, carries out what is requested, and commits the start of an attempt if there is to be one.
 *
 * Rejects with the store's error; the lease is given back then.
 */
export async function openTask(
  environment: Environment,
  taskId: string,
  attempt: {
    readonly mayRun: boolean;
    readonly brokenAttempt: number | undefined;
    readonly versions: Versions;
    readonly toolLimits: ToolLimits;
  },
): Promise<OpenedTask> {
  const { store, worker, limits, clock, dueTimes, tools, telemetry } = environment;
  const again = attempt.mayRun ? await attempt.versions.judgeAgain(taskId) : undefined;
  if (again !== undefined) return { kind: "idle", ...again };
  const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: readInstant(clock) });
  if (acquired === undefined) return { kind: "held" };
  const { lease, snapshot } = acquired;
  const { record } = snapshot;
  const tool = tools.runnable.get(record.tool);
  try {
    const [, ...deaths] = record.live && !record.progressed ? deathsOf(record) : [];
    const inCompany = await withCompany(environment, deaths);
    const waitMs = dueTimes.leftMs(waitsUntil(record));
    const verdict: VersionVerdict =
      tool === undefined || !attempt.mayRun ? { kind: "run" } : await attempt.versions.judge(snapshot, tool);
    const nowMs = clock.wallMs();
    const unwanted = await isUnwanted(environment, record);
    const childEnded = record.live && onlyWaits(record) && (await hasNewsOfChildren(environment, record));
    const family = { unwanted, childEnded };
    const inputs = { ...attempt, ...limits, ...family, tool, verdict, worker, inCompany, nowMs, waitMs };
    const wanted = planAttempt(snapshot, inputs);
    const wait = wanted.run && tool !== undefined ? await attempt.toolLimits.admit(tool, record, lease) : undefined;
    const plan = wait === undefined ? wanted : planAttempt(snapshot, { ...inputs, mayRun: false });
    const { events, consume } = plan;
    await passOn(
      environment,
      record,
      snapshot.signals.filter(({ id }) => consume.includes(id)),
    );
    if (events.some((event) => event.type === "restarted" && !event.fromState))
      await signalChildren(environment, record, { kind: "cancel" });
    const changes = events.length > 0 || consume.length > 0;
    const entry = { lease, afterSeq: record.lastSeq, events, consume, now: readInstant(clock) };
    const written = changes ? await store.commit(entry) : snapshot;
    if (events.some((event) => event.type === "attempt_ended" && event.reason === "crashed"))
      telemetry.tookOver(record.tool);
    await wakeParent(environment, written.record);
    if (plan.run && tool !== undefined) return { kind: "started", lease, record: written.record, tool, before: record };
    await store.releaseLease(lease);
    const left = { ...written, leased: false };
    return wait === undefined
      ? { kind: "idle", snapshot: left, verdict: verdict.kind }
      : { kind: "held_back", snapshot: left, wait };
  } catch (error) {
    if (tool !== undefined) await attempt.toolLimits.release(tool, lease);
    await store.releaseLease(lease).catch(() => {});
    throw error;
  }
}
