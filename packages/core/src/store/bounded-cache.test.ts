import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.js";

test("drops what was not used for longest when there are too many", () => {
  const cache = new BoundedCache<number>({ maxEntries: 2, maxBytes: 100 });
  cache.set("a", 1, 1);
  cache.set("b", 2, 1);
  cache.get("a");
  cache.set("c", 3, 1);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test("drops what was not used for longest when it is too large", () => {
  const cache = new BoundedCache<number>({ maxEntries: 10, maxBytes: 100 });
  cache.set("a", 1, 60);
  cache.set("b", 2, 30);
  cache.set("b", 2, 50);
  expect(["a", "b"].map((key) => cache.get(key))).toEqual([undefined, 2]);
});

test("keeps what a scan has used when the scan goes through more than fit, so that the next one finds it", () => {
  const cache = new BoundedCache<string>({ maxEntries: 3, maxBytes: 100 });
  cache.set("before", "before", 1);
  const missed = Array.from({ length: 3 }, () => {
    const scan = cache.forScan();
    return ["a", "b", "c", "d", "e"].filter((key) => {
      if (scan.get(key) !== undefined) return false;
      scan.set(key, key, 1);
      return true;
    });
  });
  expect(missed).toEqual([
    ["a", "b", "c", "d", "e"],
    ["d", "e"],
    ["d", "e"],
  ]);
});
