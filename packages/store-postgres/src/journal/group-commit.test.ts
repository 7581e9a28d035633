import { expect, test, vi } from "vitest";
import { Database } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { type CommitRow, GroupCommit } from "./group-commit.js";

const { maxWriters } = postgresStoreDefaults;

test("commits that come while all writers are busy wait, and go into one statement (G11)", async () => {
  const database = new Database({ schema: "unused", limits: postgresStoreDefaults, warn: () => {} });
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  vi.spyOn(database, "query").mockImplementation((_kind, { name }) => {
    sent.push(name);
    return new Promise((resolve) => ends.push(() => resolve([])));
  });
  const group = new GroupCommit(database);
  const write = (id: string) => group.write({ row: { id, body: "", fold: {} } as CommitRow, isCheckpoint: true });
  const writes: Promise<unknown>[] = [];
  for (let task = 0; task < maxWriters + 2; task += 1) {
    writes.push(write(`task-${task}`));
    // Each comes in a moment of its own.
    await Promise.resolve();
  }
  expect(sent).toEqual(Array(maxWriters).fill("checkpoint"));
  ends[0]?.();
  await writes[0];
  expect(sent).toEqual([...Array(maxWriters).fill("checkpoint"), "checkpoint_many"]);
  for (const end of ends) end();
  await Promise.all(writes);
});
