import type { Json, JsonObject } from "@resumable-mcp/protocol";
import { CallError, type HostFacts, type PanelConnection, type PanelTool } from "../src/connection/connection.js";
import { PanelModel } from "../src/model/panel-model.js";

/** The start of time in these tests. */
export const startMs = Date.parse("2026-11-21T09:00:00.000Z");

/** A task as a server writes it. */
export function wireTask(task_id: string, more: JsonObject = {}): JsonObject {
  return {
    task_id,
    task_name: "count_words",
    status: "running",
    interrupted: false,
    progress: 15,
    total: 50,
    progress_percent: 30,
    message: "Processed 15/50 records",
    attempt: 1,
    generation: 1,
    item_count: 15,
    last_seq: 9,
    created_at: "2026-11-21T09:00:00.000Z",
    updated_at: "2026-11-21T09:00:10.000Z",
    ...more,
  };
}

type Answer = Json | CallError | ((args: JsonObject) => Json | CallError | Promise<Json>);

/** What the server of a test answers, by tool; a tool that is not there is unknown. */
export type Answers = Partial<Record<PanelTool, Answer>>;

/** A connection with a server that answers what a test says. */
export function fakeConnection(answers: Answers, more: Partial<PanelConnection> = {}) {
  const calls: [PanelTool, JsonObject][] = [];
  /** The tools that were called for all owners. */
  const forAll: PanelTool[] = [];
  const listeners = new Set<() => void>();
  let facts: HostFacts = {};
  const connection: PanelConnection = {
    mode: "browser",
    facts: () => facts,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    async call(tool, args, allOwners) {
      calls.push([tool, args]);
      if (allOwners === true) forAll.push(tool);
      const answer = answers[tool];
      if (answer === undefined) throw new CallError("unknown_tool", `Unknown tool: ${tool}`);
      const given = typeof answer === "function" ? await answer(args) : answer;
      if (given instanceof CallError) throw given;
      return given as JsonObject;
    },
    ...more,
  };
  const change = (next: HostFacts = facts) => {
    facts = next;
    for (const listener of listeners) listener();
  };
  return { connection, calls, forAll, change, answers };
}

/** A model whose clock is turned by hand. */
export function fakeModel(answers: Answers, more: Partial<PanelConnection> = {}) {
  const fake = fakeConnection(answers, more);
  let nowMs = startMs;
  let next: { readonly run: () => void; readonly delayMs: number } | undefined;
  const page = { hidden: false };
  const model = new PanelModel(fake.connection, {
    now: () => nowMs,
    random: () => 1,
    hidden: () => page.hidden,
    schedule: (run, delayMs) => {
      next = { run, delayMs };
      return () => {
        next = undefined;
      };
    },
  });
  /** Lets what was begun come to its end. */
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...fake,
    model,
    page,
    rest,
    state: () => model.getSnapshot(),
    /** How long the model waits before its next poll. */
    delay: () => next?.delayMs,
    /** Turns the clock to the next poll, which it lets happen; resolves to how long that was. */
    async tick() {
      const due = next;
      next = undefined;
      nowMs += due?.delayMs ?? 0;
      due?.run();
      await rest();
      return due?.delayMs;
    },
  };
}
