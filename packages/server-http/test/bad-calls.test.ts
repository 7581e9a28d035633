import { expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

/** What a caller sends comes back in no answer. */
const secret = "4111-1111-1111-1111";

test("a bad call is answered with one sentence and a code, never with a stack, and no task comes of it", async () => {
  const server = await startServer([toolsModule, "--port", "0", "--store", await testFolder()]);
  const { client } = await connectStock(server.url);
  const done = await client.callTool({ name: "count_to", arguments: { n: 2 } });
  const task_id = done._meta?.["resumable-mcp/task_id"];
  const unknownId = "no-task-of-this-id";
  const cases: [string, object, string, string][] = [
    ["count_to", { n: "many" }, "INVALID_VALUE", "The input of count_to is not valid: n: "],
    ["count_to", { n: 0 }, "INVALID_VALUE", "The input of count_to is not valid: n: Too small: "],
    ["count_to", { n: secret }, "INVALID_VALUE", "The input of count_to is not valid: n: "],
    ["answer_task", { task_id: secret, key: 7 }, "INVALID_VALUE", "The arguments do not fit: "],
    ["get_task", {}, "INVALID_VALUE", "The arguments do not fit: task_id: "],
    [
      "get_task",
      { task_id: unknownId },
      "TASK_NOT_FOUND",
      `There is no task ${unknownId}. It may have been deleted, or belong to another owner. list_session_tasks lists `,
    ],
    [
      "pause_task",
      { task_id: unknownId },
      "TASK_NOT_FOUND",
      `There is no task ${unknownId}. It may have been deleted, or belong to another owner. list_session_tasks lists `,
    ],
    ["pause_task", { task_id }, "ILLEGAL_TRANSITION", `Task ${task_id} is completed, so it cannot be paused. `],
  ];
  cases.push(["cuont", {}, "UNKNOWN_TOOL", 'No tool is named "cuont". There are: count_to, ']);
  const nextTools: Readonly<Record<string, { readonly next_tool: string }>> = {
    TASK_NOT_FOUND: { next_tool: "list_session_tasks" },
    ILLEGAL_TRANSITION: { next_tool: "wait_for_task" },
  };
  for (const [name, args, code, sentence] of cases) {
    const text = expect.stringMatching(new RegExp(`^${sentence}[^\\n]*\\.$`));
    const answer = await client.callTool({ name, arguments: { ...args } });
    expect(answer).toEqual({
      isError: true,
      content: [{ type: "text", text }],
      structuredContent: {
        error: { code, message: text },
        ...nextTools[code],
      },
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
  }
  const stats = await client.callTool({ name: "get_checkpoint_stats", arguments: {} });
  expect(stats).toMatchObject({ structuredContent: { total_checkpoints: 1, checkpoint_stats: { completed: 1 } } });
});
