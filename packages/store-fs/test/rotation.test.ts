import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Json, Store } from "@resumable-mcp/core";
import { reduceTask } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

const limits = { rotateBytes: 2_000, maxJournalFiles: 4, keepJournalFiles: 2, maxTailEvents: 4 };
const text = "x".repeat(500);
const many = 120;

function journalsIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith("journal."));
}

async function readItems(store: Store, id: string, limit: number): Promise<readonly Json[]> {
  const items: Json[] = [];
  for (;;) {
    const page = await store.readItems(id, { after: items.length, limit });
    items.push(...page.items);
    expect(page.next).toBe(items.length);
    if (page.items.length === 0) return items;
  }
}

describe.each(["process", "machine"] as const)("a long journal (%s)", (durability) => {
  async function long(checkpoints = many) {
    const directory = emptyFolder();
    const store = openStore(directory, { durability, limits });
    const id = await create(store, "long");
    const held = await lease(store, id);
    for (let index = 0; index < checkpoints; index += 1) {
      await commit(store, held, index + 1, [{ type: "checkpoint", progress: index, state: text, items: [index] }]);
    }
    await store.releaseLease(held);
    return { directory, store, id };
  }

  test("is kept in a bounded number of bounded files", async () => {
    const { directory, store, id } = await long();
    await store.close();
    const folder = folderOf(directory, id);
    const journals = journalsIn(folder);
    expect(journals.length).toBeLessThanOrEqual(limits.maxJournalFiles + 3);
    for (const name of journals) expect(statSync(join(folder, name)).size).toBeLessThan(20_000);
  });

  test("keeps every item, in pages of any size, also when opened again", async () => {
    const { directory, store, id } = await long();
    const all = Array.from({ length: many }, (_, index) => index);
    for (const limit of [1, 7, 1_000]) expect(await readItems(store, id, limit)).toEqual(all);
    await store.close();
    const again = openStore(directory, { durability, limits });
    expect(await readItems(again, id, 50)).toEqual(all);
    expect((await again.readItems(id, { after: 17, limit: 3 })).items).toEqual([17, 18, 19]);
  });

  test("gives an old cursor one snapshot and what follows, which fold to the present record", async () => {
    const { store, id } = await long();
    const page = await store.readEvents(id, { afterSeq: 3, limit: 1_000 });
    expect(page.snapshot).toBeDefined();
    expect(page.events[0]?.seq).toBe((page.snapshot?.lastSeq ?? 0) + 1);
    expect(reduceTask(page.snapshot, page.events)).toEqual((await store.getTask(id))?.record);
    const recent = await store.readEvents(id, { afterSeq: many - 10, limit: 1_000 });
    expect(recent.snapshot).toBeUndefined();
    expect(recent.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 11 }, (_, index) => many - 9 + index));
  });

  test("forgets items of a generation that restarted from nothing, and only those", async () => {
    const { store, id } = await long(30);
    const held = await lease(store, id);
    const failed = { type: "failed", error: { code: "TOOL_FAILED", message: "no" } } as const;
    await commit(store, held, 31, [failed, { type: "restarted", generation: 2, fromState: false }]);
    for (let index = 0; index < 60; index += 1) {
      await commit(store, held, 33 + index, [{ type: "checkpoint", state: text, items: [`new ${index}`] }]);
    }
    expect(await readItems(store, id, 9)).toEqual(Array.from({ length: 60 }, (_, index) => `new ${index}`));
  });

  test("keeps its lease while files change under it", async () => {
    const { directory, store, id } = await long(50);
    const held = await lease(store, id, "worker-b");
    for (let index = 0; index < 40; index += 1) {
      await commit(store, held, 51 + index, [{ type: "checkpoint", state: text }]);
    }
    const other = openStore(directory, { durability, limits });
    expect((await other.getTask(id))?.leased).toBe(true);
    expect((await other.getTask(id))?.record.lastSeq).toBe(91);
  });
});
