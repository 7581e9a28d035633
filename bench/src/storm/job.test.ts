import { checkResumable } from "@resumable-mcp/core/testing";
import { expect, test } from "vitest";
import { busyJob, drawJob, jobTool } from "./job.js";

test("a job ends the same wherever it is crashed", async () => {
  const job = drawJob("r", 1, { ...busyJob, length: [20, 20] });
  const report = await checkResumable(
    jobTool(() => {}),
    job,
  );
  expect({ output: report.output, items: report.items.length }).toEqual({ output: { done: 20 }, items: 20 });
  expect(report.differences).toEqual([]);
});
