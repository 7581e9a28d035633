import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, metrics, trace } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { startExport } from "../src/export/index.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
  for (const api of [trace, metrics, context]) api.disable();
});

/** A collector that refuses all that it gets. */
async function refusing(): Promise<URL> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(400).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close().closeAllConnections());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test("what sends the last spans may be called again: neither call rejects, here or unheard", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  closing.push(() => process.off("unhandledRejection", hear));
  const otlp = await refusing();
  const { shutdown } = startExport({ serviceName: "s", serviceVersion: "1", otlp, onProblem: () => {} });
  trace.getTracer("test").startSpan("one").end();
  await Promise.all([shutdown(), shutdown()]);
  await shutdown();
  // Node tells of a rejection that nothing handles at the end of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
});

test("after its end another one may begin in the same process, which gets all spans and metrics", async () => {
  const otlp = await refusing();
  const problems: string[] = [];
  const start = () =>
    startExport({
      serviceName: "s",
      serviceVersion: "1",
      otlp,
      prometheus: true,
      onProblem: (sentence) => problems.push(sentence),
    });
  await start().shutdown();
  const second = start();
  metrics.getMeter("test").createCounter("seen").add(1);
  expect(await second.metricsText?.()).toContain("seen_total 1");
  expect(trace.getTracer("test").startSpan("one").isRecording()).toBe(true);
  await second.shutdown();
  expect(problems.filter((sentence) => sentence.includes("already"))).toEqual([]);
});

test("a metric has 2,000 series at most: what comes beyond them is counted in one of these (G11)", async () => {
  const { metricsText, shutdown } = startExport({
    serviceName: "s",
    serviceVersion: "1",
    prometheus: true,
    onProblem: () => {},
  });
  const counter = metrics.getMeter("test").createCounter("made_up");
  for (let name = 0; name < 5_000; name += 1) counter.add(1, { name: String(name) });
  const lines = ((await metricsText?.()) ?? "").split("\n").filter((line) => line.startsWith("made_up_total{"));
  const counts = lines.map((line) => Number(line.split(" ").at(-1)));
  expect([lines.length, Math.max(...counts)]).toEqual([2_000, 5_000 - 1_999]);
  await shutdown();
});
