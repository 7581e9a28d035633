import { expect, it } from "vitest";
import { oneAtATime } from "./one-at-a-time.js";

it("runs work once more when it is requested while it runs, and not after the end", async () => {
  const runs: string[] = [];
  let closed = false;
  const once = oneAtATime(() => closed);
  const work = (name: string, again: boolean) => async () => {
    runs.push(name);
    if (again && runs.length < 3) await Promise.all([once(name, work(name, true)), once(name, work(name, true))]);
  };
  await once("a", work("a", true));
  await once("b", work("b", false));
  closed = true;
  runs.length = 0;
  await once("c", work("c", true));
  expect(runs).toEqual(["c"]);
});

it("runs work of different names at the same time", async () => {
  const runs: string[] = [];
  const once = oneAtATime(() => false);
  await once("a", async () => {
    runs.push("a begins");
    await once("b", async () => void runs.push("b"));
    runs.push("a ends");
  });
  expect(runs).toEqual(["a begins", "b", "a ends"]);
});
