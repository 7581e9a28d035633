import { createHash } from "node:crypto";
import { describeStore, runClauses } from "@resumable-mcp/store-testkit";
import { describe, expect, test } from "vitest";
import { databaseHarness } from "./database-harness.js";

const texts = new Map<string, string>();

/** Of a statement that changes, the meaning is changed in `src/database`, and then its digest here. */
const known: { readonly [name: string]: string } = {
  acquire: "73c08475",
  answer: "9228f4a2",
  beat: "529754d5",
  checkpoint: "16fd3535",
  chunk: "130c177e",
  commit: "dd4659d1",
  commit_again: "81309789",
  compact: "676caf68",
  compact_mark: "873a54fc",
  count: "a926cae9",
  count_owner: "2d22bf63",
  count_owner_unfinished: "de92fbe0",
  count_unfinished: "d50a4c5a",
  create: "b1e4b19e",
  document: "eef16fd7",
  document_delete: "88495f10",
  document_idle: "85cec0ce",
  document_idle_of_group: "e55f3a3f",
  document_put: "e9c9c2d7",
  events: "93b03333",
  expired: "fafb54c5",
  facts: "547b313f",
  health: "707bf21a",
  held: "9b6f6ed5",
  held_bytes: "2e1c0d5e",
  items: "6beee151",
  layout: "00dd707f",
  leave: "ecc272ed",
  list: "07ca50ff",
  list_owner: "9463132a",
  lock: "dd51d418",
  notify: "bb1bb6f9",
  offers: "fb5682c3",
  read: "6a25d11c",
  read_chunk: "e8788569",
  release: "4c90eb60",
  release_all: "969b5783",
  remove: "fdf42fc6",
  rival: "9accf613",
  runnable: "a9ea64cf",
  signal: "e6a84eb2",
  why: "b1858851",
};

describe("the PostgreSQL store over the simulated server", () => {
  describeStore({ describe, test }, databaseHarness({}, texts));
});

/** Snapshots and compaction at almost every commit, and caches that hold almost nothing. */
const small = { snapshotBytes: 500, maxEventBytes: 2_000, compactRows: 3, maxCachedTasks: 1, maxReadTasks: 2 };
/** They read events that are compacted away with these limits. */
const unfit = ["COMMIT-4", "COMMIT-8"];

test("keeps every clause with small limits", async () => {
  const results = await runClauses(databaseHarness(small, texts));
  expect(results.filter(({ id, outcome }) => outcome !== "passed" && !unfit.includes(id))).toEqual([]);
});

test("the statements are the ones that the simulated server was written for", () => {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
  const seen = Object.fromEntries([...texts].map(([name, text]) => [name, digest(text)]));
  // Which commits share a statement depends on how long the clauses take.
  expect(seen).toMatchObject(Object.fromEntries(Object.entries(known).filter(([name]) => texts.has(name))));
});
