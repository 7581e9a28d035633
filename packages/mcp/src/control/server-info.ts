import type { Engine, JsonObject } from "@resumable-mcp/core";
import type { ServerSurvey } from "@resumable-mcp/core/engine";
import { unfinishedStatuses } from "@resumable-mcp/core/store";
import { definedOnly } from "@resumable-mcp/protocol";
import type { PanelServer } from "../define-server.js";
import { limits } from "../limits.js";

interface Known {
  readonly atMs: number;
  readonly survey: Promise<ServerSurvey>;
}

/** What was read last, by engine: operators who look at the same time, in whatever session, cost one survey. */
const surveys = new WeakMap<Engine, Known>();
const startedAt = new Date(Date.now() - performance.now()).toISOString();

/** Describes a server, and what is unfinished in its store, to an operator. Limits: one survey in `serverInfoMs`. */
export async function serverInfo(engine: Engine, server: PanelServer | undefined): Promise<JsonObject> {
  const { workers, versions, unfinished, quotas, read } = await recentSurvey(engine);
  const tools = engine.tools.map(({ name, title, version }) => definedOnly({ name, title, version }));
  const by_status = unfinishedStatuses.map((status) => [status, unfinished.byStatus[status] ?? 0]);
  return {
    server: definedOnly({ name: server?.name, version: server?.version, started_at: startedAt, tools }),
    processes: workers.length,
    replicas: workers.map(({ worker, isSelf, tasks, offers }) => ({
      worker,
      is_self: isSelf,
      running: tasks,
      tools: { ...offers },
    })),
    versions: versions.map(({ tool, version, tasks, processes: offered_by }) => ({
      tool,
      version,
      unfinished: tasks,
      offered_by,
    })),
    store: {
      unfinished: unfinished.total,
      by_status: Object.fromEntries(by_status),
      by_tool: { ...unfinished.byTool },
      read,
      quotas: quotas.map((quota) => ({ ...quota })),
    },
  };
}

async function recentSurvey(engine: Engine): Promise<ServerSurvey> {
  const known = surveys.get(engine);
  if (known !== undefined && performance.now() - known.atMs < limits.serverInfoMs) return known.survey;
  const survey = engine.survey();
  const begun: Known = { atMs: performance.now(), survey };
  surveys.set(engine, begun);
  try {
    return await survey;
  } catch (error) {
    if (surveys.get(engine) === begun) surveys.delete(engine);
    throw error;
  }
}
