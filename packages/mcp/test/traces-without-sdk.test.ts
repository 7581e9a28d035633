import { context, metrics, trace } from "@opentelemetry/api";
import { expect, test, vi } from "vitest";
import { countTool, createGate } from "./counting-tool.js";
import { call, connect } from "./stock-client.js";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("the trace of a call is kept with its task where no SDK is registered, for a process that has one", async () => {
  const { client, engine } = await connect([countTool()]);
  const tracestate = "vendor=1";
  const result = await call(client, "count_to", { n: 1 }, {}, { traceparent, tracestate });
  const record = (await engine.readTask(String(result._meta?.["resumable-mcp/task_id"])))?.record;
  expect(record?.trace).toEqual({ traceparent, tracestate });
});

test("what is not a trace is not kept, and no trace keeps two calls apart", async () => {
  const gate = createGate();
  const { client, engine } = await connect([countTool(gate)]);
  const handedOff = { "resumable-mcp/handoff": 0 };
  const first = await call(client, "count_to", { n: 1 }, {}, { ...handedOff, traceparent: `${traceparent}-x` });
  const second = await call(client, "count_to", { n: 1 }, {}, { ...handedOff, traceparent });
  const [id, joined] = [first, second].map(({ structuredContent }) => Object(structuredContent).task_id);
  expect(joined).toBe(id);
  expect((await engine.readTask(String(id)))?.record.trace).toBeUndefined();
  gate.open();
});

test("a call asks the API whether there is an SDK, and makes no span, no context and no measurement", async () => {
  const { client } = await connect([countTool()]);
  const made = [
    vi.spyOn(trace.getTracer("any").constructor.prototype, "startSpan"),
    vi.spyOn(metrics.getMeter("any").constructor.prototype, "createHistogram"),
    vi.spyOn(context, "with"),
  ];
  await call(client, "count_to", { n: 3 });
  expect(made.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0]);
});
