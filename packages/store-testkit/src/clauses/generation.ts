import { isFinal, type Store } from "@resumable-mcp/core";
import { cancelled, checkpoint, completed, failed, restarted } from "../event-samples.js";
import { expectCode, expectEqual, findOutcome } from "../expect.js";
import { readAllItems } from "../read-journal.js";
import { defineClauses, type Scene } from "../scene.js";

/** What checkpoints appended. */
export const itemClauses = defineClauses({
  "ITEM-1": {
    title: "gives items in the order of their checkpoints, in pages of any size",
    because: "Items are the task's output.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a", "b"]), checkpoint(2), checkpoint(3, ["c", "d", "e"])]);
      for (const limit of [1, 2, 3, 5, 100]) {
        expectEqual(await readAllItems(scene.store, id, limit), ["a", "b", "c", "d", "e"], `items by ${limit}`);
      }
      const page = await scene.store.readItems(id, { after: 1, limit: 2 });
      expectEqual(page, { items: ["b", "c"], next: 3, total: 5 }, "a page in the middle");
      const behind = await scene.store.readItems(id, { after: 5, limit: 2 });
      expectEqual(behind, { items: [], next: 5, total: 5 }, "the page behind the last");
    },
  },
  "ITEM-2": {
    title: "keeps items across a change of lease",
    because: "The next runner continues where the last one was.",
    async check(scene) {
      const { record } = await scene.create();
      for (let turn = 0; turn < 4; turn++) await scene.write(record.id, [checkpoint(turn, [turn])]);
      expectEqual(await readAllItems(scene.store, record.id), [0, 1, 2, 3], "items");
      expectEqual((await scene.read(record.id)).record.itemCount, 4, "itemCount");
    },
  },
  "ITEM-3": {
    title: "keeps items when a task restarts from its state",
    because: "The state counts on what was appended before it.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a"]), failed]);
      await scene.write(id, [restarted(2, true), checkpoint(2, ["b"])]);
      expectEqual(await readAllItems(scene.store, id, 1), ["a", "b"], "items");
    },
  },
  "ITEM-4": {
    title: "forgets items when a task restarts from nothing",
    because: "Its output would hold every row twice.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, ["a", "b"]), failed]);
      await scene.write(id, [restarted(2, false)]);
      const none = await scene.store.readItems(id, { after: 0, limit: 9 });
      expectEqual(none, { items: [], next: 0, total: 0 }, "items after the restart");
      await scene.write(id, [checkpoint(1, ["c"])]);
      expectEqual(await readAllItems(scene.store, id), ["c"], "items of the second generation");
    },
  },
});

const call = { key: "same-call" };
const races = 5;

/** Restarts a task while its call is made in another store, or in the same. */
async function raceWithCreation(scene: Scene, other: Store): Promise<void> {
  for (let race = 0; race < races; race++) {
    const key = `call-${race}`;
    const { id } = await scene.taskWith([failed], { key });
    const held = await scene.lease(id);
    const restart = findOutcome(scene.commit(held, [restarted(2, true)], { afterSeq: 2 }));
    const [outcome, made] = await Promise.all([restart, scene.create({ key }, other)]);
    expectEqual(outcome, made.created ? "KEY_TAKEN" : "ok", "the restart");
    const ids = [id, made.record.id].filter((each, index, all) => all.indexOf(each) === index);
    const records = await Promise.all(ids.map(async (each) => (await scene.read(each)).record));
    expectEqual(records.filter(({ status }) => !isFinal(status)).length, 1, "unfinished tasks");
  }
}

/** What a new generation means for the call of a task. */
export const restartClauses = defineClauses({
  "RESTART-1": {
    title: "makes a finished task unfinished, and the same call joins it again",
    because: "Resuming a failed task must not leave the call free for a second one.",
    async check(scene) {
      const { id } = await scene.taskWith([failed], call);
      await scene.write(id, [restarted(2, true)]);
      const { record } = await scene.read(id);
      expectEqual([record.status, record.generation], ["pending", 2], "the task");
      const again = await scene.create(call);
      expectEqual([again.created, again.record.id], [false, id], "the same call");
    },
  },
  "RESTART-2": {
    title: "refuses a restart while another unfinished task has the call, and writes nothing",
    because: "There is never more than one unfinished task for an owner and key.",
    async check(scene) {
      const { id } = await scene.taskWith([failed], call);
      await scene.create(call);
      const held = await scene.lease(id);
      const before = await scene.read(id);
      await expectCode(scene.commit(held, [restarted(2, true)]), ["KEY_TAKEN"], "the restart");
      expectEqual(await scene.read(id), before, "the task");
    },
  },
  "RESTART-3": {
    title: "claims the call from a newer task that has finished",
    because: "The call belongs to the unfinished task, whichever was made last.",
    async check(scene) {
      const { id } = await scene.taskWith([failed], call);
      await scene.taskWith([cancelled], call);
      await scene.write(id, [restarted(2, false)]);
      expectEqual((await scene.create(call)).record.id, id, "the task of the call");
      await scene.write(id, [completed]);
      expectEqual((await scene.create(call)).record.id, id, "the reusable task of the call");
    },
  },
  "RESTART-4": {
    title: "leaves one unfinished task when a restart and a creation race",
    because: "Two people may press resume and run at the same time.",
    check: (scene) => raceWithCreation(scene, scene.store),
  },
  "RESTART-5": {
    title: "leaves one unfinished task when a restart and a creation race in two processes",
    because: "They may do so in two terminals.",
    needs: "second",
    check: async (scene) => raceWithCreation(scene, await scene.another("second")),
  },
});
