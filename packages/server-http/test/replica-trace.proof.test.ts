import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openClient } from "@resumable-mcp/client";
import { startExport } from "@resumable-mcp/telemetry/export";
import { expect, test } from "vitest";
import { newSchema, testPostgres } from "./database.js";
import { startReceiver } from "./otlp.js";
import { afterwards, type ServerProcess, startServer, testFolder } from "./server-process.js";

const gatedTools = fileURLToPath(new URL("gated-tools-module.js", import.meta.url));
const database = testPostgres();

/** One address in front of several servers: new connections reach the one that was chosen last. */
async function openBalancer() {
  let chosen = 0;
  const server = createServer((near) => {
    const far = connect(chosen, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
    }
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  afterwards(async () => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const choose = (to: ServerProcess) => {
    chosen = to.port;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, choose };
}

test("a collector sees one trace over PostgreSQL: client, replica A, SIGKILL, replica B, SIGTERM, replica C, result", async () => {
  const { url: otlp, spans } = await startReceiver();
  const gates = await testFolder();
  const store = ["--store", database.url(), "--store-schema", newSchema()];
  const args = [gatedTools, ...store, "--otlp", otlp, "--recover-after", "now", "--port", "0"];
  const start = (name: string) =>
    startServer(args, { OTEL_SERVICE_NAME: name, RESUMABLE_MCP_RETRY: "1s", RESUMABLE_MCP_DRAIN_RETRY: "1s" });
  // The first one makes the schema.
  const a = await start("replica-a");
  const [b, balancer] = await Promise.all([start("replica-b"), openBalancer()]);
  balancer.choose(a);
  const program = startExport({
    serviceName: "caller",
    serviceVersion: "1",
    otlp: new URL(otlp),
    onProblem: () => {},
  });
  const client = await openClient({ stateFile: join(gates, "state.json"), servers: [{ url: balancer.url }] });
  afterwards(() => client.close());
  const call = await client.call("count_gated", { gates, client: "one" });
  const result = call.result();
  const namesOf = async () => (await spans()).map(({ name, service }) => `${service} ${name}`);
  // What a process has not sent dies with it.
  await expect.poll(namesOf).toContain("replica-a tools/call count_gated");
  balancer.choose(b);
  await a.kill();
  await writeFile(join(gates, "10"), "");
  const metricsOf = async () => (await fetch(new URL("/metrics", b.url))).text();
  const counted = /^resumable_mcp_checkpoint_duration_count\{.*\} [1-9]\d+$/m;
  await expect.poll(metricsOf).toMatch(counted);
  const c = await start("replica-c");
  balancer.choose(c);
  expect((await b.stop("SIGTERM")).code).toBe(0);
  for (const gate of ["20", "30"]) await writeFile(join(gates, gate), "");
  expect((await result).structuredContent).toEqual({ counted: 40 });
  await client.close();
  await program.shutdown();
  expect((await c.stop("SIGTERM")).code).toBe(0);
  const seen = await spans();
  const attempts = seen.filter(({ name }) => name === "resumable_mcp.attempt count_gated");
  const endsOf = attempts.map(({ service, attributes }) => [
    service,
    attributes["resumable_mcp.attempt.number"],
    attributes["resumable_mcp.attempt.end"],
  ]);
  // That of replica A died with it.
  expect(endsOf).toEqual([
    ["replica-b", 2, "drained"],
    ["replica-c", 3, "completed"],
  ]);
  const whole = seen.find(({ service, name }) => service === "caller" && name === "resumable_mcp.call count_gated");
  const served = seen.find(({ service, name }) => service === "replica-a" && name === "tools/call count_gated");
  expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual([served?.spanId, served?.spanId]);
  for (const span of [served, ...attempts]) expect(span?.traceId).toBe(whole?.traceId);
  expect(whole?.traceId).toMatch(/^[0-9a-f]{32}$/);
});
