import type { JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { messagesOf, openEndpoint as openEndpoint2026, withTasksExtension } from "./endpoint-2026.js";
import { countTo, eventsOf, openEndpoint, openSession, post, resume } from "./http-endpoint.js";

async function allOf<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

test.each(["2025-11-25", "2025-06-18"])(
  "%s: a call's stream ends with its caller's token, and is resumed with the next one",
  async (version) => {
    const gate = createGate();
    const subjects = { old: "ada", new: "ada" };
    const to = await openEndpoint({ tools: [countTool(gate)], subjects, expired: "old" });
    onTestFinished(to.close);
    const session = await openSession(to.url, { authorization: "Bearer new" }, version);
    const ending = post(to.url, countTo(2), { ...session, authorization: "Bearer old" });
    const before = await allOf(eventsOf(await ending));
    expect(before.filter(({ message }) => message !== undefined && "id" in message)).toEqual([]);
    const resumed = await resume(to.url, session, before.at(-1)?.id ?? "");
    gate.open(2);
    const after = await allOf(eventsOf(resumed));
    expect(after.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: 2, attempts: 1 } } });
  },
);

test("2025-11-25: a session's own stream ends with its caller's token", async () => {
  const to = await openEndpoint({ tools: [], subjects: { old: "ada", new: "ada" }, expired: "old" });
  onTestFinished(to.close);
  const session = await openSession(to.url, { authorization: "Bearer new" });
  const headers = { accept: "text/event-stream", ...session, authorization: "Bearer old" };
  const listening = await fetch(to.url, { headers });
  expect(listening.status).toBe(200);
  await allOf(eventsOf(listening));
});

function endpoint2026(...tools: Parameters<typeof openEndpoint2026>[0]) {
  const to = openEndpoint2026(tools);
  onTestFinished(to.close);
  return to;
}

test("2026-07-28: a call ends with its caller's token by a state, with which the next request continues", async () => {
  const gate = createGate();
  const to = endpoint2026(countTool(gate));
  const params = { name: "count_to", arguments: { n: 1 } };
  const { result } = await to.send("tools/call", params, { expired: true });
  expect(result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
  expect(result).not.toHaveProperty("inputRequests");
  const [task] = (await to.engine.forOwner("sub:ada").list()).tasks;
  expect(["pending", "running"]).toContain(task?.status);
  gate.open();
  const again = await to.send("tools/call", { ...params, requestState: String(result.requestState) });
  expect(again.result).toMatchObject({ structuredContent: { counted: 1, attempts: 1 } });
});

test.each<[string, JsonObject]>([
  ["tasks", { taskIds: [] }],
  ["lists", { toolsListChanged: true }],
])("2026-07-28: a subscription to %s ends with its caller's token", async (_, notifications) => {
  const to = endpoint2026(countTool());
  const options = { capabilities: withTasksExtension, expired: true };
  const messages = await allOf(messagesOf(await to.open("subscriptions/listen", { notifications }, options)));
  // The stream has ended; what came before its end is not the matter of this test.
  expect(messages.filter((message) => "error" in message)).toEqual([]);
});
