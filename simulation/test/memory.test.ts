import "../src/program/run-seed.js";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { drawPlan } from "../src/run/draw-plan.js";
import { runPlan } from "../src/run/run-plan.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const nextTurn = setImmediate;

/** What a run notes refers to everything in it: when that is collected, so is the rest. */
async function historyOf(seed: number): Promise<WeakRef<object>> {
  const { history } = await runPlan(drawPlan(seed));
  return new WeakRef(history);
}

test("nothing of a run is kept after it", { timeout: 120_000 }, async () => {
  const histories = [await historyOf(2), await historyOf(5), await historyOf(11), await historyOf(12)];
  for (let round = 0; round < 10; round += 1) {
    collectGarbage();
    await new Promise<void>((resolve) => void nextTurn(resolve));
  }
  expect(histories.map((history) => history.deref())).toEqual([undefined, undefined, undefined, undefined]);
});
