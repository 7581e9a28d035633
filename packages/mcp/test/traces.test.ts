import { SpanKind, trace } from "@opentelemetry/api";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { countTool, createGate } from "./counting-tool.js";
import { openEndpoint as openEndpoint2026, withTasksExtension } from "./endpoint-2026.js";
import { openEndpoint, openSession, post } from "./http-endpoint.js";
import { recordTelemetry } from "./recorded-telemetry.js";
import { call, closing, connect } from "./stock-client.js";

const recorded = recordTelemetry();
beforeEach(() => recorded.reset());

const ada = { traceId: "a".repeat(32), spanId: "1".repeat(16) };
const bob = { traceId: "b".repeat(32), spanId: "2".repeat(16) };
const sentBy = ({ traceId, spanId }: typeof ada) => ({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: "x=1" });

/** A tool whose code is traced too. */
const traced = defineTool({
  name: "traced",
  description: "Makes a span of its own.",
  input: z.object({}),
  state: {},
  async *run() {
    yield { progress: 1 };
    trace.getTracer("tool").startSpan("work of the tool").end();
    return "done";
  },
});

test("a call, its attempt and the tool's own spans are one trace: that of the caller", async () => {
  const { client, engine } = await connect([traced]);
  const result = await call(client, "traced", {}, {}, { ...sentBy(ada), baggage: "user=ada" });
  const server = recorded.span("tools/call traced");
  const attempt = recorded.span("resumable_mcp.attempt traced");
  const own = recorded.span("work of the tool");
  expect([server, attempt, own].map((span) => span.spanContext().traceId)).toEqual(Array(3).fill(ada.traceId));
  expect(server.parentSpanContext?.spanId).toBe(ada.spanId);
  expect(attempt.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
  expect(own.parentSpanContext?.spanId).toBe(attempt.spanContext().spanId);
  expect(server.kind).toBe(SpanKind.SERVER);
  const taskId = String(result._meta?.["resumable-mcp/task_id"]);
  expect(server.attributes).toEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "traced",
    "gen_ai.operation.name": "execute_tool",
    "jsonrpc.request.id": "1",
    "network.transport": "pipe",
    "resumable_mcp.task.id": taskId,
    "resumable_mcp.task.joined": false,
  });
  expect(attempt.attributes).toEqual({
    "gen_ai.tool.name": "traced",
    "resumable_mcp.tool.version": "1",
    "resumable_mcp.task.id": taskId,
    "resumable_mcp.attempt.number": 1,
    "resumable_mcp.attempt.crashes": 0,
    "resumable_mcp.attempt.end": "completed",
  });
  const kept = (await engine.readTask(taskId))?.record.trace;
  expect(kept).toEqual({ traceparent: `00-${ada.traceId}-${server.spanContext().spanId}-01`, tracestate: "x=1" });
});

test("another caller joins the task although its trace is another, and is linked to the first", async () => {
  const gate = createGate();
  const { client, open, engine } = await connect([countTool(gate)]);
  const first = call(client, "count_to", { n: 1 }, {}, { ...sentBy(ada), "resumable-mcp/client_id": "same-client" });
  await expect.poll(() => engine.running.length).toBe(1);
  const other = await open();
  const handedOff = { "resumable-mcp/handoff": 0, "resumable-mcp/client_id": "same-client" };
  await call(other, "count_to", { n: 1 }, {}, { ...sentBy(bob), ...handedOff });
  const joined = recorded.span("tools/call count_to");
  gate.open();
  await first;
  expect(joined.spanContext().traceId).toBe(bob.traceId);
  expect(joined.attributes["resumable_mcp.task.joined"]).toBe(true);
  expect(joined.links.map((link) => link.context.traceId)).toEqual([ada.traceId]);
});

test("without a trace in _meta the headers name the parent, and with one they are linked", async () => {
  const endpoint = await openEndpoint({ tools: [traced] });
  closing.push(endpoint.close);
  const session = await openSession(endpoint.url);
  const list = (id: number, _meta: object) =>
    post(endpoint.url, { jsonrpc: "2.0", id, method: "tools/list", params: { _meta } }, { ...session, ...sentBy(bob) });
  await (await list(1, {})).text();
  await (await list(2, sentBy(ada))).text();
  const [byHeader, byMeta] = recorded.spans().filter(({ name }) => name === "tools/list");
  expect(byHeader?.parentSpanContext?.spanId).toBe(bob.spanId);
  expect(byMeta?.parentSpanContext?.spanId).toBe(ada.spanId);
  expect(byMeta?.links.map((link) => link.context.traceId)).toEqual([bob.traceId]);
  expect(byMeta?.attributes).toMatchObject({ "network.transport": "tcp", "network.protocol.name": "http" });
});

test("requests about a task are linked to the trace of the call that made it, in the 2026 era too", async () => {
  const { send, close } = openEndpoint2026([traced], createMemoryStore());
  closing.push(close);
  const asTask = { capabilities: withTasksExtension };
  const { result } = await send("tools/call", { name: "traced", arguments: {}, _meta: sentBy(ada) }, asTask);
  const { taskId } = result;
  await send("tasks/get", { taskId: String(taskId), _meta: sentBy(bob) }, asTask);
  await expect.poll(() => recorded.spans().map(({ name }) => name)).toContain("resumable_mcp.attempt traced");
  const created = recorded.span("tools/call traced");
  const asked = recorded.span("tasks/get");
  const attempt = recorded.span("resumable_mcp.attempt traced");
  expect(created.parentSpanContext?.spanId).toBe(ada.spanId);
  expect(attempt.parentSpanContext?.spanId).toBe(created.spanContext().spanId);
  expect(asked.spanContext().traceId).toBe(bob.traceId);
  expect(asked.attributes["resumable_mcp.task.id"]).toBe(taskId);
  expect(asked.links.map((link) => link.context.traceId)).toEqual([ada.traceId]);
});

test("errors are named as the conventions do", async () => {
  const failing = defineTool({
    name: "failing",
    description: "Fails.",
    input: z.object({}),
    run: async () => Promise.reject(new Error("no")),
  });
  const { send, close } = openEndpoint2026([failing], createMemoryStore());
  closing.push(close);
  await send("tools/call", { name: "failing", arguments: {} });
  await send("tasks/get", { taskId: "unknown-unknown-unknown" }, { capabilities: withTasksExtension });
  expect(recorded.span("tools/call failing").attributes["error.type"]).toBe("tool_error");
  expect(recorded.span("tasks/get").attributes).toMatchObject({
    "error.type": "-32602",
    "rpc.response.status_code": "-32602",
  });
});

test("1,000 names that a caller makes up are no names of spans, and make no series", async () => {
  const { client } = await connect([traced]);
  const send = async (id: number) => {
    if (id % 2 === 0) return call(client, `made_up_${id}`, {}, {}, sentBy(ada));
    return client.request({ method: `made_up_${id}` }, z.looseObject({})).catch(() => undefined);
  };
  for (let id = 1; id <= 1_000; id += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => send(id + at)));
  const series = await recorded.series("mcp.server.operation.duration");
  expect(JSON.stringify(series)).not.toContain("made_up");
  const anonymous = series.filter(
    ({ attributes }) => attributes["mcp.method.name"] === "tools/call" && !("gen_ai.tool.name" in attributes),
  );
  expect(anonymous).toMatchObject([{ value: { count: 500 }, attributes: { "error.type": "tool_error" } }]);
  expect(recorded.spans().filter(({ name }) => name.includes("made_up"))).toEqual([]);
});

test("the panel's tools are named in traces, where there is a panel", async () => {
  const apps = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
  const options = { panel: { page: "<html></html>" }, singleUser: true };
  const { client } = await connect([countTool()], options, apps);
  await call(client, "find_task", { tool: "count_to", arguments: { n: 1 } });
  expect(recorded.span("tools/call find_task").attributes).toMatchObject({ "gen_ai.tool.name": "find_task" });
});
