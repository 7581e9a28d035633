import { describe, expect, it } from "vitest";
import { stormOutput } from "./storm-output.js";

const patienceMs = 900_000;
/** Earlier than the test's own end, so that its failure tells the seed and how far the storm came. */
const stormMs = 840_000;
/** Each verb was used, and nothing was wrong. */
const allDone =
  /[1-9]\d* attempts of steps failed, [1-9]\d* maps were done\n[1-9]\d* tasks were called, [1-9]\d* artifacts kept[\s\S]*\d+ calls complete, 0 problems/;
const crashesOutput = (...flags: readonly string[]) => stormOutput("crashes", flags, stormMs);

describe("crashes", () => {
  it("lose and repeat nothing of 100 tasks in one process (G1, G2, G3)", { timeout: patienceMs }, async () => {
    const output = await crashesOutput("--kills", "10", "--tasks", "100", "--replicas", "1", "--whole");
    expect(output).toMatch(allDone);
  });

  it("leave each task one writer at a time in three processes (G4)", { timeout: patienceMs }, async () => {
    const output = await crashesOutput("--kills", "20", "--tasks", "15", "--whole");
    expect(output).toMatch(allDone);
  });

  it("lose and repeat nothing while old files are compacted away (G1, G2)", { timeout: patienceMs }, async () => {
    const output = await crashesOutput("--kills", "12", "--tasks", "20", "--replicas", "2", "--durability", "process");
    expect(output).toMatch(allDone);
  });
});
