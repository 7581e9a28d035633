import { afterAll, beforeAll, expect, test } from "vitest";
import { runRequirements } from "../src/run-suite.js";
import { unscored } from "../src/scenario-outcome.js";
import { type SpawnedServer, spawnServer } from "../src/spawn-server.js";

/** The suite and its Node come from the registry at the first run. */
const suiteTimeoutMs = 300_000;

let server: SpawnedServer;
beforeAll(async () => {
  server = await spawnServer("--port", "0");
});
afterAll(() => server.stop());

test.each(Object.keys(unscored))(
  "passes every scenario that %s requires or runs",
  async (revision) => {
    const { problems, output } = await runRequirements(server.url, revision);
    expect(problems, output).toEqual([]);
  },
  suiteTimeoutMs,
);
