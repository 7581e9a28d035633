import { afterAll, beforeAll, expect, test } from "vitest";
import { runRequirements } from "../src/run-suite.js";
import { type SpawnedServer, spawnServer } from "../src/servers.js";

/** The suite and its Node come from the registry at the first run. */
const suiteTimeoutMs = 600_000;

let server: SpawnedServer;
beforeAll(async () => {
  server = await spawnServer("--port", "0");
});
afterAll(() => server.stop());

/** A check that does not run any more would pass in silence, so their number is pinned with the suite's version. */
const checks = [
  ["2025-11-25", 83],
  ["2026-07-28", 196],
] as const;

test.each(checks)(
  "passes every scenario that %s requires or runs, with all %i checks",
  async (revision, expected) => {
    const { problems, outcomes, output } = await runRequirements(server.url, revision);
    expect(problems, output).toEqual([]);
    expect(outcomes.reduce((sum, { passed }) => sum + passed, 0)).toBe(expected);
  },
  suiteTimeoutMs,
);
