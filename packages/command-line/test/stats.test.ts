import { statfsSync } from "node:fs";
import { expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, lease, openStore } from "../../store-fs/test/scene.js";
import { variableOf } from "../src/options/setting-names.js";
import type { QuotaRow } from "../src/store/quota-rows.js";
import { json, run, setOptions } from "./command-line.js";

/** A store of six tasks: alice has three unfinished ones, bob and one session one each. */
async function filled() {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process" });
  for (const id of ["a", "b", "c"]) await create(store, id, { owner: "sub:alice" });
  await create(store, "d", { owner: "sub:bob" });
  await create(store, "e", { owner: "session:s" });
  const held = await lease(store, await create(store, "f", { owner: "sub:bob" }));
  await commit(store, held, 1, [checkpoint(1), { type: "completed", output: 1 }]);
  await store.releaseLease(held);
  return { directory, store };
}

async function quotasOf(
  directory: string,
  options: Readonly<Record<string, string>> = {},
): Promise<readonly QuotaRow[]> {
  setOptions(options);
  const { value } = await json("stats", "--store", directory);
  return (value as { readonly quotas: readonly QuotaRow[] }).quotas;
}

test("shows the quotas that servers have by default, what is used of them, and that nothing is refused (G11)", async () => {
  const { directory } = await filled();
  const { blocks, bsize } = statfsSync(directory);
  const kept = Math.min(2 ** 30, Math.ceil((blocks * bsize) / 20));
  const rows = await quotasOf(directory);
  expect(rows.map(({ quota }) => quota)).toEqual([
    "maxStoreTasks",
    "maxStoreBytes",
    "minFreeBytes",
    "minFreeFilesPercent",
    "maxUnfinishedPerOwner",
  ]);
  expect(rows[0]).toEqual({ quota: "maxStoreTasks", limit: 1_000_000, used: 6, refuses: false });
  expect(rows[1]).toMatchObject({ limit: null, refuses: false });
  expect(rows[2]).toMatchObject({ limit: kept });
  expect(rows[4]).toEqual({
    quota: "maxUnfinishedPerOwner",
    limit: 1_000,
    used: 3,
    owner: "sub:alice",
    owners: 0,
    refuses: false,
  });
  const { out } = await run("stats", "--store", directory);
  expect(out).toContain("  maxStoreTasks: 6 of 1000000\n");
  expect(out).toContain("  maxUnfinishedPerOwner: sub:alice has 3 of 1000\n");
  expect(out).toMatch(/\n {2}minFreeBytes: \d+ free, \d+ kept free\n/);
});

test("says before a quota is set what it would refuse: exactly what servers with it refuse (G11)", async () => {
  const { directory } = await filled();
  const make = (limits: object) => create(openStore(directory, { durability: "process", limits }), "new");
  const full = await quotasOf(directory, { "max-store-tasks": "6" });
  expect(full[0]).toEqual({ quota: "maxStoreTasks", limit: 6, used: 6, refuses: true });
  await expect(make({ maxStoreTasks: 6 })).rejects.toMatchObject({ details: { quota: "maxStoreTasks", used: 6 } });
  const { bsize, blocks } = statfsSync(directory);
  // Some of it is used.
  const wanted = blocks * bsize;
  expect((await quotasOf(directory, { "min-free-disk": `${wanted}` }))[2]).toMatchObject({
    limit: wanted,
    refuses: true,
  });
  const limits = { minFreeBytes: wanted, minFreePercent: 100 };
  await expect(make(limits)).rejects.toMatchObject({ details: { quota: "minFreeBytes", limit: wanted } });
  const { out } = await run("stats", "--store", directory);
  expect(out).toContain("refused now: all new tasks (maxStoreTasks); all new tasks (minFreeBytes)");
  expect(await make({ maxStoreTasks: 7 })).toContain("new");
});

test("names the owner that is nearest to its limit, and counts those that have reached theirs (G11)", async () => {
  const { directory } = await filled();
  const option = "max-unfinished-per-owner";
  expect((await quotasOf(directory, { [option]: "2" }))[4]).toMatchObject({
    limit: 2,
    used: 3,
    owner: "sub:alice",
    owners: 1,
  });
  const rules = "1, sub:alice=10, session:*=5";
  expect((await quotasOf(directory, { [option]: rules }))[4]).toMatchObject({
    limit: 1,
    used: 1,
    owner: "sub:bob",
    owners: 1,
  });
  setOptions({ [option]: "1" });
  const { out } = await run("stats", "--store", directory);
  expect(out).toContain("refused now: new tasks of sub:alice and of 2 more owners (maxUnfinishedPerOwner)");
});

test.each([
  ["alice=2", '"alice" is not a tool, nor an owner such as sub:alice'],
  [
    "sub:alice=2,sub:alice=3",
    "maxUnfinishedPerOwner (RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER) is given twice for sub:alice",
  ],
  ["2,3", "maxUnfinishedPerOwner (RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER) is given twice for all"],
])("maxUnfinishedPerOwner of %j is refused, as servers refuse it", async (text, message) => {
  const { directory } = await filled();
  setOptions({ "max-unfinished-per-owner": text });
  const { code, errors } = await run("stats", "--store", directory);
  expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  ["max-store-tasks", "many", "a whole number"],
  ["max-store-bytes", "20GB", "a size"],
  ["min-free-disk", "5%", "a size"],
  ["max-unfinished-per-owner", "sub:a=0", "a whole number"],
])("%s %s is refused with a sentence", async (option, text, what) => {
  const { directory } = await filled();
  setOptions({ [option]: text });
  const { code, errors } = await run("stats", "--store", directory);
  expect([code, errors]).toEqual([2, expect.stringContaining(`(${variableOf(option)}) must be ${what}`)]);
});

test("says of a quota that is given as a flag which variable it has: no settings file is read", async () => {
  const { code, errors } = await run("stats", "--max-store-tasks", "6");
  expect([code, errors]).toEqual([2, "--max-store-tasks is not a flag: set RESUMABLE_MCP_MAX_STORE_TASKS."]);
});
