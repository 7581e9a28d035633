import { createMemoryStore, defineTool, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { countTool, createGate, type Gate, greetTool } from "./counting-tool.js";
import {
  countTo,
  eventsOf,
  openEndpoint,
  openSession,
  post,
  readUntil,
  resume,
  type StreamEvent,
} from "./http-endpoint.js";

/** A store that outlives the engines that are opened on it. */
function lastingStore(maxEvents?: number): Store {
  return Object.assign(Object.create(createMemoryStore({ maxEvents })), { close: async () => {} });
}

const bodyOf = ({ message }: StreamEvent) => message ?? {};
const methodsOf = (events: readonly StreamEvent[]) => events.map((event) => Reflect.get(bodyOf(event), "method"));
const progressOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => Reflect.get(Object(Reflect.get(bodyOf(event), "params")), "progress") ?? []);
const tokensOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => Reflect.get(Object(Reflect.get(bodyOf(event), "params")), "progressToken") ?? []);
const asks = (event: StreamEvent) => Reflect.get(bodyOf(event), "method") === "elicitation/create";
const progressToken = { _meta: { progressToken: "p" } };
const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });

test.each(["tools/call", "tasks/result"])(
  "G9 a question that %s has shown is not shown again at once after a restart, nor is progress sent again",
  async (method) => {
    const options = { tools: [greetTool], store: lastingStore() };
    const before = await openEndpoint(options);
    const session = await openSession(before.url, {}, "2025-11-25", { elicitation: {} });
    const call = { name: "greet_user", arguments: {} };
    let params: object = { ...call, ...progressToken };
    if (method === "tasks/result") {
      const asTask = { ...call, task: {}, _meta: { progressToken: "first" } };
      const created = eventsOf(await post(before.url, request(1, "tools/call", asTask), session));
      const answer = (await readUntil(created, () => false)).at(-1);
      const { taskId } = Reflect.get(Object(Reflect.get(bodyOf(answer ?? {}), "result")), "task") as { taskId: string };
      params = { taskId, ...progressToken };
    }
    const seen = await readUntil(eventsOf(await post(before.url, request(2, method, params), session)), asks);
    const question = bodyOf(seen.at(-1) ?? {});
    await before.close();
    const after = await openEndpoint(options);
    onTestFinished(after.close);
    const again = eventsOf(await resume(after.url, session, seen.at(-1)?.id ?? ""));
    expect((await again.next()).value).toEqual({ id: seen.at(-1)?.id });
    const result = { action: "accept", content: { name: "Ada" } };
    await post(after.url, { jsonrpc: "2.0", id: Reflect.get(question, "id"), result }, session);
    const rest = await readUntil(again, () => false);
    expect(methodsOf(rest)).toEqual(["notifications/progress", undefined]);
    expect([...progressOf(seen), ...progressOf(rest)]).toEqual([1, 2]);
    const token = method === "tasks/result" ? "first" : "p";
    expect([...tokensOf(seen), ...tokensOf(rest)]).toEqual([token, token]);
    expect(rest.at(-1)?.message).toMatchObject({ id: 2, result: { content: [{ text: "Hello, Ada!" }] } });
  },
);

test("G5 a client that has all but the result gets it after a restart, and one that has it nothing", async () => {
  const options = { tools: [countTool()], store: lastingStore() };
  const before = await openEndpoint(options);
  const session = await openSession(before.url);
  const seen = await readUntil(eventsOf(await post(before.url, countTo(2), session)), () => false);
  await before.close();
  const after = await openEndpoint(options);
  onTestFinished(after.close);
  const rest = await readUntil(eventsOf(await resume(after.url, session, seen.at(-2)?.id ?? "")), () => false);
  expect(rest.flatMap(({ message }) => message ?? [])).toEqual([seen.at(-1)?.message]);
  expect((await resume(after.url, session, seen.at(-1)?.id ?? "")).status).toBe(405);
});

test("G9 a question whose answer never came is shown again, under the id that it had before the restart", async () => {
  const options = { tools: [greetTool], store: lastingStore(), limits: { askAgainMs: 1 } };
  const before = await openEndpoint(options);
  const session = await openSession(before.url, {}, "2025-11-25", { elicitation: {} });
  const call = request(1, "tools/call", { name: "greet_user", arguments: {} });
  const seen = await readUntil(eventsOf(await post(before.url, call, session)), asks);
  await before.close();
  const after = await openEndpoint(options);
  onTestFinished(after.close);
  const again = eventsOf(await resume(after.url, session, seen.at(-1)?.id ?? ""));
  const shown = (await readUntil(again, asks)).at(-1);
  expect(shown?.message).toEqual(seen.at(-1)?.message);
  const result = { action: "accept", content: { name: "Ada" } };
  await post(after.url, { jsonrpc: "2.0", id: Reflect.get(bodyOf(shown ?? {}), "id"), result }, session);
  const rest = await readUntil(again, () => false);
  expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ text: "Hello, Ada!" }] } });
});

/** Commits progress, then much without progress, then progress again; it waits for the gate before each but the first. */
function unevenTool(gate: Gate) {
  return defineTool({
    name: "uneven",
    description: "Works without progress for a while.",
    input: z.object({}),
    state: { at: 0 },
    async *run(_input, task) {
      for (let { at } = task.state; at < 20; at++) {
        const state = { at: at + 1 };
        if (at === 1 || at === 19) await gate.pass();
        if (at === 0 || at === 19) yield { progress: at + 1, state };
        else yield { state };
      }
      return null;
    },
  });
}

test.each([
  ["a broken stream", false],
  ["a restart", true],
])("G6 a progress value that was shown is not shown again after %s and compaction", async (_what, restarts) => {
  const gate = createGate();
  const store = lastingStore(8);
  const options = { tools: [unevenTool(gate)], store };
  const before = await openEndpoint(options);
  if (!restarts) onTestFinished(before.close);
  const session = await openSession(before.url);
  const call = request(1, "tools/call", { name: "uneven", arguments: {}, ...progressToken });
  const events = eventsOf(await post(before.url, call, session));
  const seen = await readUntil(events, (event) => progressOf([event]).length > 0);
  gate.open();
  await vi.waitFor(async () => {
    const [task] = (await store.listTasks({ limit: 1 })).tasks;
    const found = await store.getTask(task?.id ?? "");
    expect(found?.record.state).toEqual({ at: 19 });
  });
  if (restarts) await before.close();
  const after = restarts ? await openEndpoint(options) : before;
  if (restarts) onTestFinished(after.close);
  const again = eventsOf(await resume(after.url, session, seen.at(-1)?.id ?? ""));
  await again.next();
  // The attempt that the restart ended waits for it as well.
  gate.open(2);
  const rest = await readUntil(again, () => false);
  expect([...progressOf(seen), ...progressOf(rest)]).toEqual([1, 20]);
});
