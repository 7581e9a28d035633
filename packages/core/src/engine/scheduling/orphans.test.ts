import { expect, test } from "vitest";
import { Orphans } from "./orphans.js";

test("an orphan is due when its time is over since it was seen first, and not seen again until then (G1)", () => {
  const orphans = new Orphans(30_000);
  expect(orphans.look(["a"], true, 1_000)).toEqual({ due: [], nextMs: 30_000 });
  expect(orphans.look(["a", "b"], true, 11_000)).toEqual({ due: [], nextMs: 20_000 });
  expect(orphans.look(["a", "b"], true, 30_999)).toEqual({ due: [], nextMs: 1 });
  expect(orphans.look(["a", "b"], true, 31_000)).toEqual({ due: ["a"], nextMs: 10_000 });
  expect(orphans.size).toBe(1);
});

test("the time begins again for an orphan that a process had taken meanwhile", () => {
  const orphans = new Orphans(30_000);
  orphans.look(["a"], true, 0);
  expect(orphans.look([], true, 10_000)).toEqual({ due: [], nextMs: undefined });
  expect(orphans.look(["a"], true, 30_000)).toEqual({ due: [], nextMs: 30_000 });
});

test("an orphan that did not come on a full page keeps its time", () => {
  const orphans = new Orphans(30_000);
  orphans.look(["a"], true, 0);
  orphans.look(["b"], false, 10_000);
  expect(orphans.look(["a", "b"], true, 30_000)).toEqual({ due: ["a"], nextMs: 10_000 });
});

test("with 0 every orphan is due at once, with Infinity none ever is", () => {
  expect(new Orphans(0).look(["a", "b"], true, 0)).toEqual({ due: ["a", "b"], nextMs: undefined });
  const never = new Orphans(Number.POSITIVE_INFINITY);
  expect(never.look(["a", "b"], true, 0)).toEqual({ due: [], nextMs: undefined });
  expect(never.look(["a", "b"], true, 1e15)).toEqual({ due: [], nextMs: undefined });
  expect(never.size).toBe(2);
});
