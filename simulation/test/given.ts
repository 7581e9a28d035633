import type { Json, TaskRecord } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import { type Evidence, type PlannedFacts, virtualPatience } from "../src/history/evidence.js";
import type { HistoryEvent } from "../src/history/history.js";

type Body = { readonly type: TaskEvent["type"]; readonly [fact: string]: unknown };

export const owner = "client:o";
const program = [{ op: "work", ms: 1 }];
export const call: PlannedFacts = { name: "c", owner, via: "engine", input: { run: "a", program }, callId: undefined };

export interface Given {
  readonly events?: readonly HistoryEvent[];
  readonly journal?: readonly Body[];
  readonly record?: Partial<TaskRecord>;
  readonly items?: readonly Json[];
  readonly plan?: Partial<Evidence["plan"]>;
  readonly others?: Evidence["tasks"];
}

/** A run of one task that was called, ran and ended, and what is different in it. */
export function run({ events = [], journal = [], record, items = [0, 1, 2], plan, others = [] }: Given): Evidence {
  const followed = journal.map((body, index) => {
    const event = { seq: index + 1, at: "2026-01-01T00:00:00.000Z", ...body } as TaskEvent;
    return { kind: "event" as const, event };
  });
  const whole = { id: "t", owner, status: "completed", generation: 1, lastSeq: 1_000, input: call.input, ...record };
  const tasks = [{ owner, record: whole as unknown as TaskRecord, items, followed }, ...others];
  const all = [...events, { atMs: 9e9, kind: "ended", all: true }];
  const settings = { limits: { maxRunning: 32, graceMs: 1_000 }, calls: [call], ...plan };
  return { plan: settings, patience: virtualPatience, events: all, tasks };
}

export const at = (atMs: number, kind: string, facts: { readonly [name: string]: string | number | boolean } = {}) => ({
  atMs,
  kind,
  task: "t",
  ...facts,
});
export const called = at(100, "called", { caller: "c", owner, created: true });
export const attempt = (n: number, facts = {}) =>
  at(110 + n, "attempt", { attempt: n, worker: "p", at: 0, items: 0, ...facts });
export const requested = (what: string, facts = {}) => [
  at(20_000, "requests", { caller: "c", what, ...facts }),
  at(20_010, "request_done", { caller: "c", what, ...facts }),
];
export const begins = (atMs: number, facts = {}) =>
  at(atMs, "begins", { at: 0, attempt: 1, op: "work", worker: "p", ...facts });
export const wall = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
export const calm = at(0, "calm", { wallMs: Date.UTC(2026, 0, 1) });

export const missing = "TASK_NOT_FOUND: There is no task …";
export const listedFour = at(1, "listed", { owner, tasks: "", unfinished: 4 });
export const named = (event: HistoryEvent) => ({ ...event, created: false });
export const failed = (code: string) => ({ status: "failed" as const, error: { code, message: "" } });

/** Another task that completed. */
export function other(id: string, record: Partial<TaskRecord> = {}, of = owner): Evidence["tasks"][number] {
  const whole = { id, owner, status: "completed", generation: 1, lastSeq: 1_000, input: { run: "b" }, ...record };
  return { owner: of, record: whole as unknown as TaskRecord, items: [], followed: [] };
}
