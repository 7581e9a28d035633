import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openClient } from "@resumable-mcp/client";
import { startExport } from "@resumable-mcp/telemetry/export";
import { getMetricsFromIterator, type PromData, type PromHistogramData } from "prom2javascript";
import { expect, test } from "vitest";
import { startReceiver } from "./otlp.js";
import { afterwards, runToEnd, startServer, testFolder } from "./server-process.js";

const gatedTools = fileURLToPath(new URL("gated-tools-module.js", import.meta.url));
const dashboard = fileURLToPath(new URL("../../../examples/observability/dashboard.json", import.meta.url));

async function openGates(folder: string): Promise<void> {
  for (const at of [10, 20, 30]) await writeFile(join(folder, String(at)), "");
}

const kinds = { server: 2, client: 3 };

test("a collector sees one trace: client, server A, SIGKILL, server B, result; arguments and the task's label are in no span, metric or log line", async () => {
  const { url: otlp, spans } = await startReceiver();
  const [store, gates] = [await testFolder(), await testFolder()];
  const args = [gatedTools, "--store", store, "--otlp", otlp, "--recover-after", "now"];
  const program = startExport({
    serviceName: "caller",
    serviceVersion: "1",
    otlp: new URL(otlp),
    onProblem: () => {},
  });
  const a = await startServer([...args, "--port", "0"], { OTEL_SERVICE_NAME: "server-a" });
  const client = await openClient({ stateFile: join(gates, "state.json"), servers: [{ url: a.url }] });
  afterwards(() => client.close());
  const planted = "words-that-only-their-owner-sees";
  const call = await client.call("count_gated", { client: planted, gates });
  const result = call.result();
  expect(await client.unfinished()).toMatchObject([{ id: call.taskId, label: expect.stringContaining(planted) }]);
  // What a process has not sent dies with it.
  await expect
    .poll(async () => (await spans()).map(({ name, service }) => `${service} ${name}`))
    .toContain("server-a tools/call count_gated");
  await a.kill();
  const b = await startServer([...args, "--port", String(a.port)], { OTEL_SERVICE_NAME: "server-b" });
  await openGates(gates);
  expect((await result).structuredContent).toEqual({ counted: 40 });
  await client.close();
  await program.shutdown();
  const metrics = await (await fetch(new URL("/metrics", b.url))).text();
  const { code, stderr, stdout } = await b.stop("SIGTERM");
  expect([code, metrics.includes("count_gated"), stderr.includes("listening")]).toEqual([0, true, true]);
  const seen = await spans();
  const find = (service: string, name: string, kind?: number) => {
    const found = seen.find(
      (span) => span.service === service && span.name === name && (kind ?? span.kind) === span.kind,
    );
    if (found === undefined)
      throw new Error(`No span ${service} ${name} in ${JSON.stringify(seen.map((span) => span.name))}`);
    return found;
  };
  const whole = find("caller", "resumable_mcp.call count_gated");
  const sent = find("caller", "tools/call count_gated", kinds.client);
  const served = find("server-a", "tools/call count_gated", kinds.server);
  const attempt = find("server-b", "resumable_mcp.attempt count_gated");
  const waited = find("server-b", "tools/call wait_for_task", kinds.server);
  const asked = seen.find(({ spanId }) => spanId === waited.parentSpanId);
  expect(asked).toMatchObject({ service: "caller", name: "tools/call wait_for_task", parentSpanId: whole.spanId });
  expect([sent.parentSpanId, served.parentSpanId, attempt.parentSpanId]).toEqual([
    whole.spanId,
    sent.spanId,
    served.spanId,
  ]);
  expect(new Set([whole, sent, served, attempt, waited].map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set([served.instance, attempt.instance]).size).toBe(2);
  expect(attempt.attributes).toMatchObject({
    "resumable_mcp.task.id": call.taskId,
    "resumable_mcp.attempt.number": 2,
    "resumable_mcp.attempt.end": "completed",
  });
  const written = [JSON.stringify(seen), metrics, stdout, stderr].join("\n");
  for (const argument of [gates, planted]) expect(written).not.toContain(argument);
});

/** Reads metrics as a parser of Prometheus' text format finds them. */
async function scrape(url: string) {
  const response = await fetch(new URL("/metrics", url));
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const metrics = await getMetricsFromIterator((await response.text()).split("\n")[Symbol.iterator]());
  return {
    names: Object.entries(metrics).flatMap(([name, { type }]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
    values: (name: string) => (metrics[name]?.data ?? []).map((series) => ({ ...(series as PromData) })),
    histograms: (name: string) => (metrics[name]?.data ?? []).map((series) => ({ ...(series as PromHistogramData) })),
  };
}

test("/metrics shows what happened, as a parser of Prometheus' format reads it", async () => {
  const [store, gates] = [await testFolder(), await testFolder()];
  const args = [gatedTools, "--store", store, "--recover-after", "now"];
  const a = await startServer([...args, "--port", "0"]);
  const client = await openClient({ stateFile: join(gates, "state.json"), servers: [{ url: a.url }] });
  afterwards(() => client.close());
  const result = (await client.call("count_gated", { gates, client: "one" })).result();
  const labels = { gen_ai_tool_name: "count_gated" };
  const checkpointsAt = async (url: string) => (await scrape(url)).histograms("resumable_mcp_checkpoint_duration");
  // It counts to the first gate.
  await expect.poll(async () => checkpointsAt(a.url)).toMatchObject([{ labels, count: 10 }]);
  const running = { labels: { resumable_mcp_task_status: "running" }, value: 1 };
  // The store is not counted for each scrape.
  await expect.poll(async () => (await scrape(a.url)).values("resumable_mcp_tasks_unfinished")).toContainEqual(running);
  await a.kill();
  const b = await startServer([...args, "--port", String(a.port)]);
  await openGates(gates);
  await result;
  await client.close();
  const { names, values, histograms } = await scrape(b.url);
  expect(values("resumable_mcp_takeovers_total")).toEqual([{ labels, value: 1 }]);
  const ended = (end: string) => ({ labels: { ...labels, resumable_mcp_attempt_end: end }, value: 1 });
  expect(values("resumable_mcp_attempts_total")).toEqual([ended("crashed"), ended("completed")]);
  expect(histograms("resumable_mcp_checkpoint_duration")).toMatchObject([{ labels, count: 30 }]);
  expect(histograms("resumable_mcp_queue_wait")).toMatchObject([{ labels }]);
  const waits = histograms("mcp_server_operation_duration").filter(
    (series) => series.labels.gen_ai_tool_name === "wait_for_task" && series.labels.error_type === undefined,
  );
  expect(waits).toMatchObject([{ count: 1, labels: { mcp_method_name: "tools/call", network_transport: "tcp" } }]);
  const opened = histograms("resumable_mcp_store_duration").filter(
    (series) => series.labels.resumable_mcp_store_operation === "open",
  );
  expect(opened).toMatchObject([{ count: 1 }]);
  const asked = [...(await readFile(dashboard, "utf8")).matchAll(/\b(?:resumable_mcp|mcp_server)_\w+(?=\{)/g)];
  expect(new Set(asked.map(([name]) => name).filter((name) => !names.includes(name)))).toEqual(new Set());
  expect(asked.length).toBeGreaterThan(10);
});

const callerToken = "token-of-a-caller-of-tools";
const scraperToken = "token-of-the-scraper-alone";

async function tokenFile(token: string): Promise<string> {
  const path = join(await testFolder(), "tokens");
  await writeFile(path, `${token} reader\n`, { mode: 0o600 });
  return path;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("strangers find no metrics: through a proxy, from a page, under another name, or where callers need tokens", async () => {
  const open = await startServer([gatedTools, "--port", "0", "--store", await testFolder()]);
  const statusAt = async (url: string, headers: Record<string, string>) =>
    (await fetch(new URL("/metrics", url), { headers })).status;
  expect(await statusAt(open.url, {})).toBe(200);
  expect(await statusAt(open.url, { "x-forwarded-for": "203.0.113.7" })).toBe(404);
  expect(await statusAt(open.url, { origin: "https://page.example" })).toBe(404);
  const byOwner = await startServer([gatedTools, "--port", "0", "--store", await testFolder(), "--owner", "session"]);
  expect(await statusAt(byOwner.url, {})).toBe(404);
  const args = ["--port", "0", "--token-file", await tokenFile(callerToken)];
  const closed = await startServer([gatedTools, ...args, "--store", await testFolder()]);
  expect(await statusAt(closed.url, {})).toBe(404);
  expect(await statusAt(closed.url, bearer(callerToken))).toBe(404);
});

test("/metrics has tokens of its own, which call no tools, as those of callers read no metrics", async () => {
  const tokens = ["--token-file", await tokenFile(callerToken)];
  const env = { RESUMABLE_MCP_METRICS_TOKEN_FILE: await tokenFile(scraperToken) };
  const { url } = await startServer([gatedTools, "--port", "0", "--store", await testFolder(), ...tokens], env);
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(new URL("/metrics", url), { headers })).status;
  expect(await statusOf({})).toBe(401);
  expect(await statusOf(bearer(callerToken))).toBe(401);
  expect(await statusOf({ ...bearer(scraperToken), "x-forwarded-for": "203.0.113.7" })).toBe(200);
  const posted = await fetch(new URL("/metrics", url), { method: "POST", headers: bearer(scraperToken) });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const headers = { ...bearer(scraperToken), "content-type": "application/json" };
  const called = await fetch(url, { method: "POST", headers, body: "{}" });
  expect(called.status).toBe(401);
  await called.text();
});

test("a collector that hangs or is away disturbs no task, and does not keep the server from its end", async () => {
  const hanging = await startReceiver("hang");
  const gates = await testFolder();
  await openGates(gates);
  for (const otlp of [hanging.url, "http://127.0.0.1:9"]) {
    const server = await startServer([gatedTools, "--port", "0", "--store", await testFolder(), "--otlp", otlp]);
    const client = await openClient({ stateFile: join(await testFolder(), "s.json"), servers: [{ url: server.url }] });
    const result = await (await client.call("count_gated", { gates, client: otlp })).result();
    expect(result.structuredContent).toEqual({ counted: 40 });
    await client.close();
    expect((await server.stop("SIGTERM")).code).toBe(0);
  }
});

test("a URL that cannot be a collector's is refused, and its password is not shown", async () => {
  const { code, stderr } = await runToEnd([gatedTools, "--otlp", "http://user:secret@127.0.0.1:4318"]);
  expect([code, stderr.includes("secret")]).toEqual([2, false]);
  expect((await runToEnd([gatedTools, "--otlp", "localhost:4318"])).stderr).toContain("--otlp wants the base URL");
});
