import type { ItemPage, StoreAdmin } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { encryptedAdmin } from "../src/encrypted-admin.js";
import { checkpoint, create, encryptedMemory, newTask, write } from "./scene.js";

const notAsked = () => Promise.reject(new Error("It is not asked for."));

/** What an operator checks of a store with one task of two items, which gives out other items than it has. */
async function check(readItems: (page: ItemPage, restart: () => Promise<unknown>) => Promise<ItemPage>) {
  const { memory, store, keyring } = encryptedMemory();
  const { record } = await create(store, newTask("1"));
  await write(store, record.id, [checkpoint(1, ["a", "b"])]);
  const restart = () =>
    write(store, record.id, [
      { type: "failed", error: { code: "TOOL_FAILED", message: "no" } },
      { type: "restarted", generation: 2, fromState: false },
    ]);
  const reading: StoreAdmin["reading"] = {
    ...memory,
    readItems: async (id, range) => readItems(await memory.readItems(id, range), restart),
  };
  const admin: StoreAdmin = {
    place: "memory",
    reading,
    describeTask: notAsked,
    processes: async () => [],
    measure: notAsked,
    async *unlistedIds() {},
    async *documents() {},
    check: async () => ({ tasks: 1, problems: [] }),
    migrate: notAsked,
    write: notAsked,
    close: async () => {},
  };
  return (await encryptedAdmin(admin, keyring).check()).problems;
}

test("a check finds a task that has fewer items than its record says", async () => {
  const none = { items: [], next: 0, total: 2 };
  expect(await check(async () => none)).toMatchObject([{ kind: "does_not_open", path: "items" }]);
  expect(await check(async (page) => page)).toEqual([]);
});

test("a check finds nothing wrong with a task that restarts from nothing while it is read", async () => {
  const found = await check(async (_page, restart) => {
    await restart();
    return { items: [], next: 0, total: 0 };
  });
  expect(found).toEqual([]);
});
