import { expect, test } from "vitest";
import { CommandError } from "./command-error.js";
import { readQuotas } from "./quota-flags.js";

const hourMs = 3_600_000;

const all = {
  "max-store-tasks": "100000",
  "max-store-bytes": "20GiB",
  "max-unfinished-per-owner": ["50"],
  "max-running": ["8"],
  "max-running-per-owner": "4",
  "slot-turn": "5m",
  "keep-finished": ["30d"],
};

test("quotas become the limits of the store and of the engine, and only those that were given (G11)", () => {
  expect(readQuotas(all)).toEqual({
    store: { maxStoreTasks: 100_000, maxStoreBytes: 20 * 2 ** 30 },
    folder: {},
    rules: {},
    engine: {
      maxUnfinishedPerOwner: 50,
      maxRunning: 8,
      maxRunningPerOwner: 4,
      slotTurnMs: 300_000,
      ttlMs: 30 * 24 * 60 * 60 * 1000,
    },
  });
  const nothing = { store: {}, folder: {}, engine: {}, rules: {} };
  expect(readQuotas({ "max-store-bytes": "4096" })).toEqual({ ...nothing, store: { maxStoreBytes: 4_096 } });
  // Of a disk of any size: what was asked for counts, and not a part of the disk.
  const folder = { minFreeBytes: 10 * 2 ** 30, minFreePercent: 100 };
  expect(readQuotas({ "min-free-disk": "10GiB" })).toEqual({ ...nothing, folder });
});

test("values with = are for one tool or owner, whatever the owner's name holds (G11)", () => {
  const rules = readQuotas({
    "keep-finished": ["30d", "render=1h", "sub:https://idp.example a=b=90d", "session:*=1d"],
    "max-unfinished-per-owner": ["session:*=100"],
    "max-running": ["render=2"],
  });
  expect(rules).toEqual({
    store: {},
    folder: {},
    engine: { ttlMs: 30 * 24 * hourMs },
    rules: {
      render: { ttlMs: hourMs, maxRunning: 2 },
      "sub:https://idp.example a=b": { ttlMs: 90 * 24 * hourMs },
      "session:*": { ttlMs: 24 * hourMs, maxUnfinishedPerOwner: 100 },
    },
  });
});

test.each([
  [
    { "max-store-tasks": "0" },
    /^maxStoreTasks \(RESUMABLE_MCP_MAX_STORE_TASKS\) must be a whole number from 1 to \d+, not "0"\.$/,
  ],
  [{ "max-store-tasks": "many" }, /^maxStoreTasks \(RESUMABLE_MCP_MAX_STORE_TASKS\) must be .* not "many"\.$/],
  [
    { "max-unfinished-per-owner": ["-1"] },
    /^maxUnfinishedPerOwner \(RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER\) must be .* not "-1"\.$/,
  ],
  [{ "max-running": ["0"] }, /^--max-running must be a whole number from 1 to \d+, not "0"\.$/],
  [
    { "max-running-per-owner": "1.5" },
    /^maxRunningPerOwner \(RESUMABLE_MCP_MAX_RUNNING_PER_OWNER\) must be .* not "1\.5"\.$/,
  ],
  [{ "slot-turn": "0s" }, /^slotTurn \(RESUMABLE_MCP_SLOT_TURN\) must be never, or a time such as .* not "0s"\.$/],
  [{ "max-store-bytes": "0" }, /^maxStoreBytes \(RESUMABLE_MCP_MAX_STORE_BYTES\) must be a size such as .* not "0"\.$/],
  [
    { "max-store-bytes": "20GB" },
    /^maxStoreBytes \(RESUMABLE_MCP_MAX_STORE_BYTES\) must be a size such as .* not "20GB"\.$/,
  ],
  [{ "max-store-bytes": "" }, /^maxStoreBytes \(RESUMABLE_MCP_MAX_STORE_BYTES\) must be a size such as .* not ""\.$/],
  [
    { "max-store-bytes": "9999999999TiB" },
    /^maxStoreBytes \(RESUMABLE_MCP_MAX_STORE_BYTES\) must be a size such as .* not "9999999999TiB"\.$/,
  ],
  [{ "min-free-disk": "5%" }, /^minFreeDisk \(RESUMABLE_MCP_MIN_FREE_DISK\) must be a size such as .* not "5%"\.$/],
  [{ "keep-finished": ["30"] }, /^--keep-finished must be a time such as .* not "30"\.$/],
  [{ "keep-finished": ["0d"] }, /^--keep-finished must be a time such as .* not "0d"\.$/],
  [{ "keep-finished": ["render=soon"] }, /^--keep-finished must be a time such as .* not "soon"\.$/],
  [{ "keep-finished": ["1d", "2d"] }, /^--keep-finished is given twice for all\. Give it once\.$/],
  [
    { "max-unfinished-per-owner": ["sub:a=1", "sub:a=2"] },
    /^maxUnfinishedPerOwner \(RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER\) is given twice for sub:a\./,
  ],
])("%j is refused with a sentence", (flags, sentence) => {
  const read = () => readQuotas(flags);
  expect(read).toThrow(CommandError);
  expect(read).toThrow(sentence);
});
