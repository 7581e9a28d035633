import type { ActiveTask, ServerInfo, TaskResult } from "@resumable-mcp/client";
import { fakeServer, fakeTask } from "./fake-client.js";

/** What a server could send to repaint the terminal of its user: it erases, colours, rings, breaks lines, turns them round. */
export const hostile = "\u001b[2J\u001b[31mevil \u0007\u001b]0;title\u0007\nnext \u202eline";

/** Another server, which does not answer. */
export const otherServer = "http://127.0.0.1:8002/mcp";

/** A server that is there, and one that is not. */
export const twoServers: readonly ServerInfo[] = [
  { address: fakeServer, name: "work", sessionId: "s-1", state: { name: "connected", known: true, attempt: 0 } },
  { address: otherServer, state: { name: "down", known: true, reason: "connection refused" } },
];

/** A task of every status, with names and messages that are long, wide or hostile. */
export const oddTasks = [
  fakeTask("a"),
  fakeTask("b", { tool: "a_tool_with_a_very_long_name_indeed", status: "paused", message: hostile }),
  fakeTask("c", {
    tool: "数える道具",
    message: "日本語のメッセージ 🎉",
    total: 1_234_567,
    progress: 1_222_221,
    percent: 99,
  }),
  fakeTask("d", { tool: "crossing", interrupted: true }),
  fakeTask("e", { tool: "👩‍👧 🇩🇪 cafe\u0301 ©", status: "failed", error: { code: "TOOL_FAILED", message: hostile } }),
  fakeTask("f", { tool: "over", status: "completed", progress: 50, percent: 100 }),
  fakeTask("g", { tool: "stopped", status: "cancelled" }),
  fakeTask("h", { tool: "to_come", status: "pending", progress: 0, percent: 0 }),
];

/** What the state file remembers of a task that its server has not listed. */
export const rememberedTask: ActiveTask = {
  task_id: "task-1",
  task_name: "count_words",
  server_url: otherServer,
  started_at: "2026-11-21T09:00:00.000Z",
  last_update: "2026-11-21T09:00:10.000Z",
  current_step: 15,
  total_steps: 50,
  last_message: `Processed ${hostile}`,
};

/** So many tasks that no screen shows them all. */
export const manyTasks = Array.from({ length: 200 }, (_, index) =>
  fakeTask(`task-${index}`, { tool: `count_${index}` }),
);

/** The result of a task. */
export function fakeResult(structuredContent: NonNullable<TaskResult["structuredContent"]>): TaskResult {
  return { content: [], structuredContent, isError: false, meta: {}, status: "completed", reused: false, text: "" };
}
