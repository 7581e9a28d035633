import { checkResumable } from "@resumable-mcp/core/testing";
import { describe, expect, it } from "vitest";
import { createRandom, histogram, planKill } from "../kills/kill-plan.js";
import { stormTool } from "./storm-tools.js";

describe("storm", () => {
  it("plans the same kills for the same seed, at named points and at moments", () => {
    const plan = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 50 }, () => planKill(random, ["store.commit.before", "store.takeover.read"]));
    };
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7)).not.toEqual(plan(8));
    expect(new Set(plan(7).map(({ kind }) => kind))).toEqual(new Set(["point", "moment"]));
  });

  it("counts where servers died", () => {
    expect(histogram(["b", "a", "b"])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });

  it("runs a tool that ends the same wherever it is crashed", async () => {
    const report = await checkResumable(
      stormTool(() => {}),
      { run: "r", records: 40, batch: 4 },
    );
    expect(report.output).toEqual({ records: 40, sum: 780 });
    expect(report.items).toHaveLength(40);
    expect(report.differences).toEqual([]);
  });
});
