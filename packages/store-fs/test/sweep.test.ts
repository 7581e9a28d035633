import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createEngine } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { commit, create, emptyFolder, lease, openStore } from "./scene.js";

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test("a sweep leaves of finished tasks neither journals nor signals nor markers, and of each call at most one claim (G11)", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process" });
  for (let round = 0; round < 20; round += 1) {
    const id = await create(store, `round-${round}`, { key: "call" });
    const held = await lease(store, id);
    await commit(store, held, 1, [{ type: "completed", output: round }]);
    await store.signal(id, { kind: "delivered" });
    await store.releaseLease(held);
  }
  const kept = await create(store, "unfinished", { key: "other" });
  const engine = createEngine({ store, tools: [] });
  // Their time was over long ago, by the clock of this machine.
  expect(await engine.sweep()).toBe(20);
  expect(await engine.sweep()).toBe(0);
  await engine.close();
  expect(filesIn(join(directory, "keys"))).toHaveLength(2);
  expect(filesIn(join(directory, "tasks")).every((path) => path.includes(kept))).toBe(true);
  expect(readdirSync(join(directory, "trash"))).toEqual([]);
  expect(readdirSync(join(directory, "open"))).toEqual([kept]);
});
