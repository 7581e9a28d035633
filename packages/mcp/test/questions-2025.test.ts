import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
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

test("a question that its client took along is asked again by the same call of another (G9)", async () => {
  const { client, open } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => client.close().then(() => new Promise(() => {})));
  await expect(call(client, "greet_user", {})).rejects.toThrow(/closed/);
  const other = await open();
  other.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" as const, content: { name: "Ada" } }));
  expect(await call(other, "greet_user", {})).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});
