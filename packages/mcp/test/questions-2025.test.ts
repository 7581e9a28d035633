import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { defineTool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { greetTool } from "./counting-tool.js";
import { call, connect } from "./stock-client.js";

test("a question goes to the user through the client", async () => {
  const { client } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    expect(params.message).toBe("What is your name?");
    return { action: "accept" as const, content: { name: "Ada" } };
  });
  expect(await call(client, "greet_user", {})).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a client that shows the questions of tasks by itself is not asked, and receives them", async () => {
  const { client } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => Promise.reject(new Error("It was asked.")));
  const asked = await call(client, "greet_user", {}, {}, { [metaKeys.showsQuestions]: true });
  expect(asked).toMatchObject({ structuredContent: { status: "input_required", next_tool: "answer_task" } });
});

test("a client that cannot ask receives the question, and answer_task answers it", async () => {
  const { client } = await connect([greetTool], {});
  const asked = await call(client, "greet_user", {});
  expect(asked).toMatchObject({
    structuredContent: {
      status: "input_required",
      next_tool: "answer_task",
      questions: [{ key: "name", message: "What is your name?", user_only: false }],
    },
  });
  const { task_id } = asked.structuredContent as { task_id: string };
  const answer = { task_id, key: "name", action: "accept", content: { name: "Bo" } };
  await call(client, "answer_task", answer);
  expect(await call(client, "wait_for_task", { task_id })).toMatchObject({ content: [{ text: "Hello, Bo!" }] });
  expect(await call(client, "answer_task", answer)).toMatchObject({ isError: true });
});

test("a question for the user alone is not answered through answer_task, and stays open (G9)", async () => {
  const sign = defineTool({
    name: "sign",
    description: "Asks the user for a signature.",
    input: z.object({}),
    async *run(_input, task) {
      yield { progress: 1 };
      return (await task.ask("name", { message: "Sign?", schema: z.object({ name: z.string() }), userOnly: true }))
        .action;
    },
  });
  const { client } = await connect([sign], {});
  const asked = await call(client, "sign", {});
  const { task_id } = asked.structuredContent as { task_id: string };
  const answer = { task_id, key: "name", action: "accept", content: { name: "Model" } };
  const refused = { isError: true, structuredContent: { error: { code: "USER_ONLY" } } };
  expect(await call(client, "answer_task", answer)).toMatchObject(refused);
  expect(await call(client, "answer_task", { task_id, key: "name", action: "decline" })).toMatchObject(refused);
  const open = { status: "input_required", questions: [{ key: "name", user_only: true }] };
  expect(await call(client, "get_task", { task_id })).toMatchObject({ structuredContent: open });
});

test("a question that its client took along is asked again by the same call of another (G9)", async () => {
  const { client, open } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => client.close().then(() => new Promise(() => {})));
  await expect(call(client, "greet_user", {})).rejects.toThrow(/closed/);
  const other = await open();
  other.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" as const, content: { name: "Ada" } }));
  expect(await call(other, "greet_user", {})).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});
