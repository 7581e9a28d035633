import { checkpoint, failed, restarted } from "../event-samples.js";
import { expectEqual } from "../expect.js";
import { readAllItems } from "../read-journal.js";
import type { Clause } from "../scene.js";

/** What checkpoints appended. */
export const itemClauses: readonly Clause[] = [
  {
    id: "ITEM-1",
    level: "MUST",
    title: "gives items in the order of their checkpoints, in pages of any size",
    because: "Items are the task's output.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a", "b"]), checkpoint(2), checkpoint(3, ["c", "d", "e"])]);
      for (const limit of [1, 2, 3, 5, 100]) {
        expectEqual(await readAllItems(scene.store, id, limit), ["a", "b", "c", "d", "e"], `items by ${limit}`);
      }
      const page = await scene.store.readItems(id, { after: 1, limit: 2 });
      expectEqual(page, { items: ["b", "c"], next: 3, total: 5 }, "a page in the middle");
      expectEqual(
        await scene.store.readItems(id, { after: 5, limit: 2 }),
        { items: [], next: 5, total: 5 },
        "the page behind the last",
      );
    },
  },
  {
    id: "ITEM-2",
    level: "MUST",
    title: "keeps items across a change of lease",
    because: "The next runner continues where the last one was.",
    async check(scene) {
      const { record } = await scene.create();
      for (let turn = 0; turn < 4; turn++) await scene.write(record.id, [checkpoint(turn, [turn])]);
      expectEqual(await readAllItems(scene.store, record.id), [0, 1, 2, 3], "items");
      expectEqual((await scene.read(record.id)).record.itemCount, 4, "itemCount");
    },
  },
  {
    id: "ITEM-3",
    level: "MUST",
    title: "keeps items when a task restarts from its state",
    because: "The state counts on what was appended before it.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a"]), failed]);
      await scene.write(id, [restarted(2, true), checkpoint(2, ["b"])]);
      expectEqual(await readAllItems(scene.store, id, 1), ["a", "b"], "items");
    },
  },
  {
    id: "ITEM-4",
    level: "MUST",
    title: "forgets items when a task restarts from nothing",
    because: "Its output would hold every row twice.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a", "b"]), failed]);
      await scene.write(id, [restarted(2, false)]);
      expectEqual(
        await scene.store.readItems(id, { after: 0, limit: 9 }),
        { items: [], next: 0, total: 0 },
        "items after the restart",
      );
      await scene.write(id, [checkpoint(1, ["c"])]);
      expectEqual(await readAllItems(scene.store, id), ["c"], "items of the second generation");
    },
  },
];
