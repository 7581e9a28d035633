import { randomBytes } from "node:crypto";
import { createKeyring, withEncryption } from "@resumable-mcp/store-encryption";
import { describeStore, runClauses, wrapHarness } from "@resumable-mcp/store-testkit";
import { describe, expect, test } from "vitest";
import { clauseTimeoutMs, processHarness } from "./stores.js";

const keyring = createKeyring({ seal: randomBytes(32) });
const encrypted = wrapHarness(processHarness(), (store) => withEncryption(store, keyring));

describeStore({ describe, test }, processHarness(), { clauseTimeoutMs });
describe("encrypted", () => describeStore({ describe, test }, encrypted, { clauseTimeoutMs }));

/** Snapshots and compaction at almost every commit, and caches that hold almost nothing. */
const small = { snapshotBytes: 500, maxEventBytes: 2_000, compactRows: 3, maxCachedTasks: 1, maxReadTasks: 2 };
const affected = [
  ...["COMMIT-7", "DELETE-1", "DUR-1", "FENCE-7", "ITEM-1", "ITEM-2", "ITEM-3", "ITEM-4"],
  ...["ORDER-1", "ORDER-2", "ORDER-4", "ORDER-5", "ORDER-6", "RANDOM-1", "RANDOM-2"],
];

test.each(affected)("%s with small limits", async (id) => {
  const [result] = await runClauses(processHarness({ limits: small }), { only: [id], clauseTimeoutMs });
  expect(result).toEqual({ id, title: result?.title, outcome: "passed" });
});
