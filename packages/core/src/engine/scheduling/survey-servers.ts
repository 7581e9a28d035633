import { fixedLimits } from "../../limits.js";
import type { WorkerOffers } from "../../store/store.js";
import { isFinal, unfinishedStatuses } from "../../task/task-record.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import type { OfferedVersion, ServerSurvey } from "../server-survey.js";
import { readIfPresent } from "./read-tasks.js";
import { toOffers } from "./tool-table.js";

/**
 * Surveys the servers on a store.
 *
 * Limits: reads `maxSurveyedTasks` unfinished tasks; what it costs does not grow with what has finished.
 */
export async function surveyServers({
  store,
  worker,
  tools,
  clock,
  limits,
}: Pick<Environment, "store" | "worker" | "tools" | "clock" | "limits">): Promise<ServerSurvey> {
  const query = { statuses: unfinishedStatuses, limit: fixedLimits.maxSurveyedTasks };
  const now = readInstant(clock);
  const [others, unfinished, page, quotas] = await Promise.all([
    store.listOffers({ worker, ttlMs: limits.leaseTtlMs, now }),
    store.countTasks({ unfinished: true }),
    store.listTasks(query),
    store.listQuotas?.({ now }) ?? [],
  ]);
  const living: readonly WorkerOffers[] = [{ worker, offers: toOffers(tools.runnable.values()) }, ...others];
  const held = new Map<string, number>();
  const versions = new Map<string, OfferedVersion>();
  const add = (tool: string, version: string, more: { readonly tasks: number; readonly processes: number }): void => {
    const name = JSON.stringify([tool, version]);
    const { tasks = 0, processes = 0 } = versions.get(name) ?? {};
    versions.set(name, { tool, version, tasks: tasks + more.tasks, processes: processes + more.processes });
  };
  for (const { offers } of living) {
    for (const [tool, { version }] of Object.entries(offers)) add(tool, version, { tasks: 0, processes: 1 });
  }
  let read = 0;
  for (const { id } of page.tasks) {
    const snapshot = await readIfPresent(store, id);
    if (snapshot === undefined || isFinal(snapshot.record.status)) continue;
    const { record, leased } = snapshot;
    read += 1;
    add(record.tool, record.toolVersion, { tasks: 1, processes: 0 });
    if (leased && record.worker !== undefined) held.set(record.worker, (held.get(record.worker) ?? 0) + 1);
  }
  return {
    workers: living.map(({ worker: name, offers }) => ({
      worker: name,
      isSelf: name === worker,
      tasks: held.get(name) ?? 0,
      offers: Object.fromEntries(Object.entries(offers).map(([tool, { version }]) => [tool, version])),
    })),
    versions: [...versions].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, version]) => version),
    unfinished,
    quotas,
    read,
  };
}
