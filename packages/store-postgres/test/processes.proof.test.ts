import { createMemoryStore } from "@resumable-mcp/core";
import { describeStore, runClauses } from "@resumable-mcp/store-testkit";
import { expect, test } from "vitest";
import { remoteHarness } from "./store-processes.js";
import { clauseTimeoutMs } from "./stores.js";

/** The clauses that a harness without processes is excused from. */
function clausesOfProcesses(): readonly string[] {
  const excused: string[] = [];
  const skip = (name: string) => excused.push(name.split(" ")[0] ?? "");
  const runner = { describe: (_: string, body: () => void) => body(), test: Object.assign(() => {}, { skip }) };
  const limited = async () => createMemoryStore();
  describeStore(runner, { open: limited, limited });
  return excused;
}

test.each(clausesOfProcesses())("%s between real processes", async (id) => {
  const [result] = await runClauses(remoteHarness(), { only: [id], clauseTimeoutMs });
  expect(result).toEqual({ id, title: result?.title, outcome: "passed" });
});
