import { isFinal, type Store } from "@resumable-mcp/core";
import { cancelled, completed, failed, restarted } from "../event-samples.js";
import { expectCode, expectEqual, outcomeOf } from "../expect.js";
import type { Clause, Scene } from "../scene.js";

const call = { key: "same-call" };
const races = 5;

/** Restarts a task while its call is made in another store, or in the same. */
async function raceWithCreation(scene: Scene, other: Store): Promise<void> {
  for (let race = 0; race < races; race++) {
    const key = `call-${race}`;
    const { id } = await scene.taskWith([failed], { key });
    const held = await scene.lease(id);
    const restart = outcomeOf(scene.commit(held, [restarted(2, true)], { afterSeq: 2 }));
    const [outcome, made] = await Promise.all([restart, scene.create({ key }, other)]);
    expectEqual(outcome, made.created ? "KEY_TAKEN" : "ok", "the restart");
    const ids = [id, made.record.id].filter((each, index, all) => all.indexOf(each) === index);
    const records = await Promise.all(ids.map(async (each) => (await scene.read(each)).record));
    expectEqual(records.filter(({ status }) => !isFinal(status)).length, 1, "unfinished tasks");
  }
}

/** What a new generation means for the call of a task. */
export const restartClauses: readonly Clause[] = [
  {
    id: "RESTART-1",
    level: "MUST",
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
  {
    id: "RESTART-2",
    level: "MUST",
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
  {
    id: "RESTART-3",
    level: "MUST",
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
  {
    id: "RESTART-4",
    level: "MUST",
    title: "leaves one unfinished task when a restart and a creation race",
    because: "Two people may press resume and run at the same time.",
    check: (scene) => raceWithCreation(scene, scene.store),
  },
  {
    id: "RESTART-5",
    level: "MUST",
    title: "leaves one unfinished task when a restart and a creation race in two processes",
    because: "They may do so in two terminals.",
    needs: "second",
    check: async (scene) => raceWithCreation(scene, await scene.another("second")),
  },
];
