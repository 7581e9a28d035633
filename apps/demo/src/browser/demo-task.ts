import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { countRecords, expectedIds, job, jobArguments, type RecordCount } from "../story/job.js";
import { processedRecord } from "../tools/processed-record.js";

/** Time of a batch: a person has to find the button. */
const batchMs = 2_000;
const pollMs = 500;
const itemsPerPage = 100;
const revision = "2026-07-28";

const answered = z.object({ result: z.object({ isError: z.boolean().optional(), structuredContent: z.unknown() }) });
const started = z.object({ task_id: z.string() });
const seen = z.object({ status: z.string() });
const page = z.object({ items: z.array(processedRecord), next: z.number(), total: z.number() });

/** The job of the story, as a task of this machine's user: the panel shows that user's tasks. */
export interface DemoTask {
  readonly id: string;
  /** Resolves when the task is completed: to what is in its items. Waits while no server runs. */
  readonly counted: Promise<RecordCount>;
}

/**
 * Calls the tool of the story, which answers at once and continues by itself.
 *
 * @param url the address of the server.
 * @param signal ends the wait for the task.
 */
export async function startDemoTask(url: string, signal: AbortSignal): Promise<DemoTask> {
  const { task_id: id } = started.parse(
    await callTool(url, job.tool, jobArguments(batchMs), { "resumable-mcp/handoff": 0 }),
  );
  return { id, counted: countWhenCompleted(url, id, signal) };
}

async function countWhenCompleted(url: string, id: string, signal: AbortSignal): Promise<RecordCount> {
  for (;;) {
    await delay(pollMs, undefined, { signal });
    // The server may be dead at this moment: its user kills it.
    const task = await callTool(url, "get_task", { task_id: id }).catch(() => undefined);
    if (task === undefined) continue;
    const { status } = seen.parse(task);
    if (status === "completed") break;
    if (status === "failed" || status === "cancelled") throw new Error(`The task ${id} is ${status}.`);
  }
  return countRecords(await readIds(url, id), expectedIds);
}

/** Reads the items themselves, and trusts nothing else. */
async function readIds(url: string, id: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const { items, next, total } = page.parse(
      await callTool(url, "get_task_items", { task_id: id, after: ids.length, limit: itemsPerPage }),
    );
    ids.push(...items.map((item) => item.record_id));
    if (items.length === 0 || next >= total) return ids;
  }
}

/** One call of the stateless revision: without a `client_id`, so that the task is that of this machine's user. */
async function callTool(url: string, name: string, args: object, meta: object = {}): Promise<unknown> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta,
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } }),
  });
  const { result } = answered.parse(await response.json());
  if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result.structuredContent)}`);
  return result.structuredContent;
}
