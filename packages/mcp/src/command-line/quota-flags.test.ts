import { expect, test } from "vitest";
import { CommandError } from "./command-error.js";
import { readQuotas } from "./quota-flags.js";

const all = {
  "max-store-tasks": "100000",
  "max-store-bytes": "20GiB",
  "max-unfinished-per-owner": "50",
  "max-running-per-owner": "4",
  "keep-finished": "30d",
};

test("quotas become the limits of the store and of the engine, and only those that were given (G11)", () => {
  expect(readQuotas(all)).toEqual({
    store: { maxStoreTasks: 100_000, maxStoreBytes: 20 * 2 ** 30 },
    engine: { maxUnfinishedPerOwner: 50, maxRunningPerOwner: 4, ttlMs: 30 * 24 * 60 * 60 * 1000 },
  });
  expect(readQuotas({ "max-store-bytes": "4096" })).toEqual({ store: { maxStoreBytes: 4_096 }, engine: {} });
});

test.each([
  [{ "max-store-tasks": "0" }, /^--max-store-tasks must be a whole number from 1 to \d+, not "0"\.$/],
  [{ "max-store-tasks": "many" }, /^--max-store-tasks must be .* not "many"\.$/],
  [{ "max-unfinished-per-owner": "-1" }, /^--max-unfinished-per-owner must be .* not "-1"\.$/],
  [{ "max-running-per-owner": "1.5" }, /^--max-running-per-owner must be .* not "1\.5"\.$/],
  [{ "max-store-bytes": "0" }, /^--max-store-bytes must be a size such as .* not "0"\.$/],
  [{ "max-store-bytes": "20GB" }, /^--max-store-bytes must be a size such as .* not "20GB"\.$/],
  [{ "max-store-bytes": "" }, /^--max-store-bytes must be a size such as .* not ""\.$/],
  [{ "max-store-bytes": "9999999999TiB" }, /^--max-store-bytes must be a size such as .* not "9999999999TiB"\.$/],
  [{ "keep-finished": "30" }, /^--keep-finished must be a time such as .* not "30"\.$/],
  [{ "keep-finished": "0d" }, /^--keep-finished must be a time such as .* not "0d"\.$/],
])("%j is refused with a sentence", (flags, sentence) => {
  const read = () => readQuotas(flags);
  expect(read).toThrow(CommandError);
  expect(read).toThrow(sentence);
});
