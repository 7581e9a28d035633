import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../src/program.js";
import { runRequirements } from "../src/run-suite.js";
import { spawnServer, startOnStore } from "../src/servers.js";

const program = join(createRequire(import.meta.url).resolve("resumable-mcp/package.json"), "../dist/cli.js");

test("no check of the official suite fails through `wrap` that passes without, 2025-11-25", async () => {
  const server = await spawnServer("--port", "0");
  onTestFinished(() => server.stop());
  const gateway = await startOnStore((where) =>
    start(process.execPath, [program, "wrap", "http", ...where, "--url", server.url]),
  );
  onTestFinished(() => gateway.close());
  const { problems, outcomes, output } = await runRequirements(gateway.url, "2025-11-25");
  expect(problems, output).toEqual([]);
  // Gateway and server speak the 2026 era, in which no stream is closed early: the suite looks at that where a tool does it.
  expect(outcomes.reduce((sum, { passed }) => sum + passed, 0)).toBe(80);
}, 600_000);
