import { defineTool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { call, closing, connect } from "./stock-client.js";

type Shown = { readonly [key: string]: unknown; readonly task_id: string };

/** A client, and what a host shows its model that shows nothing but structured content. */
async function modelOf(tools: Parameters<typeof connect>[0], options?: Parameters<typeof connect>[1]) {
  const { client, open } = await connect(tools, options);
  const ask = async (name: string, args: Record<string, unknown> = {}, meta = {}) =>
    (await call(client, name, args, {}, meta)).structuredContent as Shown;
  return { ask, open };
}

test("answer_task shows the task after it took the answer, and names what fetches the result", async () => {
  const gate = createGate();
  const ask_twice = defineTool({
    name: "ask_twice",
    description: "Asks, and waits.",
    input: z.object({}),
    async *run(_input, task) {
      yield { progress: 1, total: 2 };
      await task.ask("name", { message: "What is your name?", schema: z.object({}) });
      yield { progress: 2, total: 2 };
      await gate.pass();
      return "done";
    },
  });
  closing.push(async () => gate.open(9));
  const { ask } = await modelOf([ask_twice]);
  const asked = await ask("ask_twice");
  const { task_id } = asked;
  expect(asked.advice).toContain("What is your name?");
  const answered = await ask("answer_task", { task_id, key: "name", action: "accept" });
  expect(answered).toMatchObject({ status: "running", next_tool: "wait_for_task" });
  expect(answered.advice).toMatch(/Do not call ask_twice again\. Call wait_for_task/);
  expect(Number(answered.last_seq)).toBeGreaterThan(Number(asked.last_seq ?? 3));
  const again = await ask("answer_task", { task_id, key: "name", action: "accept" });
  expect(again).toMatchObject({ error: { code: "ALREADY_ANSWERED" }, next_tool: "wait_for_task" });
  expect(JSON.stringify(again)).toContain("wait_for_task shows");
  gate.open();
  await ask("wait_for_task", { task_id });
  expect(await ask("get_task", { task_id })).toMatchObject({ status: "completed", next_tool: "wait_for_task" });
  expect(await ask("get_task", { task_id, include: ["result"] })).not.toHaveProperty("next_tool");
});

test("a model that reads the text of a result alone can answer its question", async () => {
  const schema = z.object({ name: z.string(), size: z.enum(["small", "large"]) });
  const order_cup = defineTool({
    name: "order_cup",
    description: "Asks whose cup it is.",
    input: z.object({}),
    async *run(_input, task) {
      yield { progress: 1 };
      const answer = await task.ask("cup", { message: "Whose cup, and which size?", schema });
      return answer.action === "accept" ? answer.content : answer.action;
    },
  });
  const { client } = await connect([order_cup]);
  const { content } = await call(client, "order_cup", {});
  const [shown] = z.array(z.object({ text: z.string() })).parse(content);
  const [, template = ""] = /Then call answer_task with (\{.*\}),/.exec(shown?.text ?? "") ?? [];
  const filled = template.replace("<string>", "Ada").replace("<small | large>", "large");
  await call(client, "answer_task", JSON.parse(filled));
  const { task_id } = JSON.parse(filled);
  const result = await call(client, "wait_for_task", { task_id });
  expect(result.structuredContent).toEqual({ name: "Ada", size: "large" });
});

test("a model that reads the text of a failure alone can resume its task", async () => {
  const fails_once = defineTool({
    name: "fails_once",
    description: "Fails in its first attempt.",
    input: z.object({}),
    onFailure: "restart",
    async *run(_input, task) {
      yield { progress: 1 };
      if (task.attempt === 1) throw new Error("No.");
      return "done";
    },
  });
  const { client } = await connect([fails_once]);
  const failed = JSON.stringify((await call(client, "fails_once", {})).content);
  const [, named = "{}"] = /resume_task with (\{.*?\})/.exec(failed.replaceAll("\\", "")) ?? [];
  const resumed = JSON.parse(named);
  await call(client, "resume_task", resumed);
  expect(await call(client, "wait_for_task", resumed)).toMatchObject({
    content: [{ text: expect.stringContaining("done") }],
  });
});

test("every control tool's result names the next step of a task that is open", async () => {
  const gate = createGate();
  const { ask } = await modelOf([countTool(gate), greetTool], { controlTools: "all", prefix: "my_" });
  const running = await ask("count_to", { n: 3 }, { [metaKeys.handoff]: 0 });
  const { task_id } = running;
  expect(running.advice).toMatch(/^Still running: .* Do not call count_to again\. Call my_wait_for_task with/);
  const next = (tool: string) => ({ next_tool: `my_${tool}` });
  expect(await ask("my_get_task", { task_id })).toMatchObject({ ...next("wait_for_task"), advice: running.advice });
  const paused = await ask("my_pause_task", { task_id });
  expect(paused).toMatchObject({ ...next("resume_task"), advice: expect.stringContaining("is paused") });
  const refused = await ask("my_delete_task", { task_id });
  expect(refused).toMatchObject({ error: { code: "ILLEGAL_TRANSITION" }, ...next("wait_for_task") });
  expect(await ask("my_resume_task", { task_id })).toMatchObject(next("wait_for_task"));
  const asked = await ask("greet_user");
  const listed = await ask("my_list_session_tasks");
  expect(listed).toMatchObject({
    advice: expect.stringMatching(/^A task with next_tool is open: call that tool .* do not call its task_name again/),
    tasks: [{ questions: [{ message: "What is your name?" }], ...next("answer_task") }, next("wait_for_task")],
  });
  expect(await ask("my_get_task", { task_id: asked.task_id })).toMatchObject({
    ...next("answer_task"),
    advice: expect.stringContaining("What is your name?"),
  });
  for (const one of [task_id, asked.task_id]) await ask("my_cancel_task", { task_id: one });
  await expect.poll(() => ask("my_get_task", { task_id })).toMatchObject({ status: "cancelled" });
  expect(await ask("my_get_task", { task_id })).not.toHaveProperty("next_tool");
  const ended = await ask("my_list_session_tasks", { status: ["cancelled"] });
  expect(ended).not.toHaveProperty("advice");
  const unknown = await ask("my_get_task", { task_id: "a-task-of-this-id-is-unknown" });
  expect(unknown).toMatchObject({ error: { code: "TASK_NOT_FOUND" }, ...next("list_session_tasks") });
  expect(unknown.error).toMatchObject({ message: expect.stringContaining("my_list_session_tasks lists your tasks") });
});

test("a failure names what continues its task, and a question for the user alone no tool that takes its answer", async () => {
  const fails = defineTool({
    name: "fails",
    description: "Fails.",
    input: z.object({}),
    onFailure: "restart",
    async *run(_input, task) {
      yield { progress: 1 };
      if (task.attempt === 1) throw new Error("No.");
      await task.ask("sign", { message: "Sign?", schema: z.object({}), userOnly: true });
    },
  });
  const { ask } = await modelOf([fails]);
  const failed = await ask("fails");
  expect(failed).toMatchObject({ error: { continues: "by_resume" }, next_tool: "resume_task" });
  const { task_id } = failed.error as Shown;
  await ask("resume_task", { task_id });
  const asked = await ask("wait_for_task", { task_id });
  expect(asked).toMatchObject({ status: "input_required", next_tool: "wait_for_task" });
  expect(asked.advice).toMatch(/"Sign\?" .*Tell the user: only a client that shows them the question can answer it/);
});
