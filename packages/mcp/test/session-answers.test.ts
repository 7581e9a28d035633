import { expect, test } from "vitest";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { countTo, eventsOf, openForTest, openSession, post, taskOfEvent } from "./http-endpoint.js";

const answerTo = (taskId: string) => ({
  jsonrpc: "2.0",
  id: `ask:${taskId}:name`,
  result: { action: "accept", content: { name: "Eve" } },
});

test("who asks for the result of another's task cannot answer its question (G10)", async () => {
  const { url, engine, store } = await openForTest({ tools: [greetTool], subjects: { a: "ada", e: "eve" } });
  const tasks = engine.forOwner("sub:ada");
  const { record } = await tasks.start({ tool: "greet_user", input: {}, detached: true });
  expect((await tasks.wait(record.id)).reason).toBe("input_required");
  const eve = await openSession(url, { authorization: "Bearer e" });
  const asked = { jsonrpc: "2.0", id: 1, method: "tasks/result", params: { taskId: record.id } };
  // The answer comes before the request reaches the code that refuses it.
  const { getTask } = store;
  let answered: Promise<Response> | undefined;
  store.getTask = async (taskId) => {
    if (answered === undefined) {
      answered = post(url, answerTo(record.id), eve);
      await answered;
    }
    return getTask(taskId);
  };
  await (await post(url, asked, eve)).text();
  expect((await answered)?.status).toBe(202);
  expect(await engine.readTask(record.id)).toMatchObject({ record: { status: "input_required" }, signals: [] });
});

test("an answer to what no task asks is dropped (G11)", async () => {
  const { url, engine } = await openForTest({ tools: [countTool(createGate())] });
  const session = await openSession(url);
  const { value: prime } = await eventsOf(await post(url, countTo(2), session)).next();
  const taskId = taskOfEvent(prime?.id);
  await expect.poll(() => engine.readTask(taskId)).toBeDefined();
  expect((await post(url, answerTo(taskId), session)).status).toBe(202);
  expect((await post(url, { ...answerTo(taskId), id: "anything" }, session)).status).toBe(202);
});

test("an answer to a question of a task that has ended, or was deleted meanwhile, is dropped (G11)", async () => {
  const { url, engine, store } = await openForTest({ tools: [greetTool], subjects: { a: "ada" } });
  const tasks = engine.forOwner("sub:ada");
  const { record } = await tasks.start({ tool: "greet_user", input: {}, detached: true });
  await tasks.wait(record.id);
  await tasks.cancel(record.id);
  await tasks.wait(record.id);
  const ada = await openSession(url, { authorization: "Bearer a" });
  expect((await post(url, answerTo(record.id), ada)).status).toBe(202);
  const { getTask } = store;
  let looks = 0;
  store.getTask = async (taskId) => (looks++ === 0 ? getTask(taskId) : undefined);
  expect((await post(url, answerTo(record.id), ada)).status).toBe(202);
  expect(looks).toBeGreaterThan(1);
});
