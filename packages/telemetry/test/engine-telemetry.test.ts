import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createEngine, createMemoryStore, defineTool, type MemoryStore } from "@resumable-mcp/core";
import { storeErrors } from "@resumable-mcp/core/store";
import { createManualClock } from "@resumable-mcp/core/testing";
import { afterAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createEngineTelemetry } from "../src/index.js";

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
afterAll(() => {
  for (const api of [context, trace, metrics]) api.disable();
});
let reader = new Reader();
beforeEach(() => {
  exporter.reset();
  metrics.disable();
  reader = new Reader();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});

async function measured(): Promise<Record<string, unknown>> {
  const { resourceMetrics, errors } = await reader.collect();
  expect(errors).toEqual([]);
  const found = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    found.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ attributes, value }) => [
        Object.values(attributes).join(" "),
        typeof value === "object" && "count" in value ? value.count : value,
      ]),
    ]),
  );
}

const caller = { traceId: "a".repeat(32), spanId: "1".repeat(16) };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

/** Makes a checkpoint, then waits until it is let go; dies with its process meanwhile. */
function gatedTool() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = defineTool({
    name: "gated",
    description: "Waits at a gate after its first checkpoint.",
    input: z.object({}),
    state: { at: 0 },
    async *run(_input, task) {
      if (task.state.at === 0) yield { state: { at: 1 } };
      await opened;
      yield { state: { at: 2 } };
      return "done";
    },
  });
  return { tool, open: () => open() };
}

function engineOn(store: MemoryStore, tools: Parameters<typeof createEngine>[0]["tools"], clock = createManualClock()) {
  return createEngine({ store, tools, clock, telemetry: createEngineTelemetry(), limits: { recoverAfterMs: 0 } });
}

test("the attempts of a task belong to its call's trace in every process, and a take-over is counted", async () => {
  const store = createMemoryStore();
  const clock = createManualClock();
  const { tool, open } = gatedTool();
  // Of a process that dies nothing more is heard.
  const first = createEngine({ store, tools: [tool], clock });
  const { record } = await first.forOwner("client:a").start({ tool: "gated", input: {}, trace: { traceparent } });
  await clock.advance(0);
  store.kill({ noticed: true });
  const second = engineOn(store.anotherProcess(), [tool], clock);
  await second.open();
  await clock.advance(1_000);
  expect(await measured()).toMatchObject({
    "resumable_mcp.takeovers": [["gated", 1]],
    "resumable_mcp.attempts": [["gated crashed", 1]],
    "resumable_mcp.queue.wait": [["gated", 1]],
    "resumable_mcp.tasks.unfinished": [
      ["pending", 0],
      ["running", 1],
      ["paused", 0],
      ["input_required", 0],
    ],
  });
  open();
  await clock.advance(10_000);
  expect((await second.forOwner("client:a").get(record.id)).status).toBe("completed");
  expect(await measured()).toMatchObject({
    "resumable_mcp.checkpoint.duration": [["gated", 1]],
    "resumable_mcp.attempts": [
      ["gated crashed", 1],
      ["gated completed", 1],
    ],
  });
  const [attempt] = exporter
    .getFinishedSpans()
    .filter(({ attributes }) => attributes["resumable_mcp.attempt.number"] === 2);
  expect(attempt?.name).toBe("resumable_mcp.attempt gated");
  expect(attempt?.spanContext().traceId).toBe(caller.traceId);
  expect(attempt?.parentSpanContext?.spanId).toBe(caller.spanId);
  expect(attempt?.attributes).toMatchObject({ "resumable_mcp.attempt.end": "completed" });
  await second.close();
});

test("a lease that is lost ends its attempt, and is counted", async () => {
  const store = createMemoryStore();
  const clock = createManualClock();
  const losing: MemoryStore = Object.create(store, {
    commit: {
      value: (request: Parameters<MemoryStore["commit"]>[0]) =>
        request.events.some(({ type }) => type === "checkpoint")
          ? Promise.reject(storeErrors.leaseLost(request.lease))
          : store.commit(request),
    },
  });
  const { tool } = gatedTool();
  const engine = engineOn(losing, [tool], clock);
  await engine.forOwner("client:a").start({ tool: "gated", input: {} });
  await clock.advance(0);
  const found = await measured();
  expect(found["resumable_mcp.leases.lost"]).toEqual([["", 1]]);
  expect(found["resumable_mcp.attempts"]).toEqual([["gated lease_lost", 1]]);
  expect(found["resumable_mcp.store.duration"]).toEqual(expect.arrayContaining([["commit LEASE_LOST", 1]]));
  await engine.close();
});

test("ends of attempts and failures are counted by their names", async () => {
  const store = createMemoryStore();
  const clock = createManualClock();
  const tools = [
    defineTool({
      name: "fails",
      description: "Fails.",
      input: z.object({}),
      run: () => Promise.reject(new Error("no")),
    }),
    defineTool({ name: "works", description: "Works.", input: z.object({}), run: async () => "done" }),
  ];
  const engine = engineOn(store, tools, clock);
  for (const tool of ["fails", "works"]) await engine.forOwner("client:a").start({ tool, input: {} });
  await clock.advance(0);
  const found = await measured();
  expect(found["resumable_mcp.attempts"]).toEqual([
    ["fails failed", 1],
    ["works completed", 1],
  ]);
  expect(found["resumable_mcp.store.duration"]).toEqual(
    expect.arrayContaining([
      ["createTask", 2],
      ["open", 1],
    ]),
  );
  const [failed] = exporter.getFinishedSpans().filter(({ name }) => name.endsWith("fails"));
  expect(failed?.status.code).toBe(2);
  expect(failed?.parentSpanContext).toBeUndefined();
  await engine.close();
});

test("what is finished is not counted with what is not: that would cost more with every task", async () => {
  const store = createMemoryStore();
  const queries: unknown[] = [];
  const asked = Object.assign(Object.create(store), {
    countTasks: (query: Parameters<MemoryStore["countTasks"]>[0]) => {
      queries.push(query);
      return store.countTasks(query);
    },
  });
  const stop = createEngineTelemetry().opened(asked);
  await measured();
  expect(queries).toEqual([{ unfinished: true }]);
  stop();
});

test("a store that never answers is asked once for its tasks, however often the metrics are read", async () => {
  const store = createMemoryStore();
  let asked = 0;
  const silent = Object.assign(Object.create(store), {
    countTasks: () => {
      asked += 1;
      return new Promise(() => {});
    },
  });
  const stop = createEngineTelemetry().opened(silent);
  const read = [reader.collect({ timeoutMillis: 50 }), reader.collect({ timeoutMillis: 50 })];
  const errors = (await Promise.all(read)).flatMap((collected) => collected.errors.map(String));
  expect(asked).toBe(1);
  expect(errors).toEqual([expect.stringContaining("timed out"), expect.stringContaining("timed out")]);
  stop();
});
