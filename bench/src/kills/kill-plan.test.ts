import { expect, test } from "vitest";
import { createRandom, planKill } from "./kill-plan.js";

test("the same seed plans the same kills, at named points and by each signal", () => {
  const plan = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => planKill(random, ["store.commit.before", "store.takeover.read"]));
  };
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
  expect(new Set(plan(7).map(({ by }) => by))).toEqual(new Set(["SIGKILL", "SIGTERM", "SIGSTOP"]));
  expect(new Set(plan(7).map(({ point }) => point?.name)).size).toBe(3);
});
