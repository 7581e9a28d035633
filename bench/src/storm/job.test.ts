import { checkResumable } from "@resumable-mcp/core/testing";
import { expect, test } from "vitest";
import { jobCall, jobTools } from "./job.js";

test("a job ends the same wherever it is crashed", async () => {
  // Without what waits between its attempts, which would make this long.
  const operations = ["work", "step", "map", "artifact", "call"] as const;
  const input = { run: "r", program: operations.map((op) => ({ op, ms: 2 })) };
  const [job, part] = jobTools(() => {});
  const { output, items, differences } = await checkResumable(job, input, { tools: [part] });
  const { expects } = jobCall(input, "local:check");
  expect({ output, items: items.length, differences }).toEqual({ ...expects, differences: [] });
});
