import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../src/program.js";
import { runRequirements } from "../src/run-suite.js";
import { spawnServer, startOnStore } from "../src/servers.js";

const program = join(createRequire(import.meta.url).resolve("resumable-mcp/package.json"), "../dist/cli.js");

/** What the gateway does in another way than the server by itself, by scenario: how many checks look at that. */
const byDesign = {
  // A call becomes a task for each client that takes one, also where the server answers at once, or asks first.
  "tasks-lifecycle": 1,
  "tasks-request-headers": 1,
  "tasks-dispatch-and-envelope": 2,
  "tasks-mrtr-composition": 1,
  // The gateway awaits the server's task for a client that has no tasks.
  "tasks-required-task-error": 1,
};

test.each([
  // Where a tool closes its stream early, the gateway's stays open.
  ["2025-11-25", 82, {}],
  ["2026-07-28", 188, byDesign],
] as const)(
  "no check of the official suite fails through `wrap` that passes without, %s",
  async (revision, passing, exceptions) => {
    const server = await spawnServer("--port", "0");
    onTestFinished(() => server.stop());
    const gateway = await startOnStore((where) =>
      start(process.execPath, [program, "wrap", "http", ...where, "--url", server.url]),
    );
    onTestFinished(() => gateway.close());
    const { outcomes, output } = await runRequirements(gateway.url, revision);
    const failed = outcomes.filter(({ failed }) => failed > 0).map(({ scenario, failed }) => [scenario, failed]);
    expect(Object.fromEntries(failed), output).toEqual(exceptions);
    expect(outcomes.reduce((sum, { passed }) => sum + passed, 0)).toBe(passing);
  },
  600_000,
);
