import { describe, expect, it } from "vitest";
import { stormOutput } from "./storm-output.js";

/** What has not ended by then hangs; a machine that does ten other things at once needs minutes for it. */
const patienceMs = 900_000;
/** Earlier than the test's own end, so that its failure tells the seed and how far the storm came. */
const stormMs = 840_000;

describe("storm", () => {
  it.each([
    ["a folder", []],
    ["PostgreSQL, which dies, too", ["--postgres"]],
  ])(
    "loses and repeats nothing while replicas and their clients die, and networks break, on %s (G1 to G9, G11)",
    {
      timeout: patienceMs,
    },
    async (_, store) => {
      const output = await stormOutput("storm", ["--partitions", "--kills", "16", "--tasks", "8", ...store], stormMs);
      expect(output).toMatch(/\d+ questions answered/);
      expect(output).toMatch(/[1-9]\d* partitions/);
      expect(output).toMatch(/\d+ calls complete, 0 problems/);
    },
  );
});
