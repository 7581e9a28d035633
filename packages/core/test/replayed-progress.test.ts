import { describe, expect, it } from "vitest";
import { defineTool } from "../src/index.js";
import { checkResumable } from "../src/testing.js";
import { begin, createScene, errorOf, failOnUnhandledRejections, jobInput, killed, outputOf } from "./scene.js";

failOnUnhandledRejections();

/** A generator without state, which replays its steps; a step that hangs dies with its process. */
function replaying(world: { steps: number; hangsAt: number }) {
  return defineTool({
    name: "job",
    description: "Does what the test says.",
    input: jobInput,
    async *run(_input, task) {
      for (let at = 1; at <= 5; at++) {
        await task.step(`step-${at}`, async () => {
          world.steps += 1;
          if (world.steps === world.hangsAt) await new Promise(() => {});
        });
        yield { progress: at, total: 5, message: `${at} of 5` };
      }
      return "done";
    },
  });
}

describe("the progress of a generator without state", () => {
  it("is not written again while it replays its steps after a crash (G2, G6)", async () => {
    const world = { steps: 0, hangsAt: 4 };
    const scene = createScene([replaying(world)]);
    const id = await begin(scene);
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect([await outputOf(next, id), world.steps]).toEqual(["done", 6]);
    const { events } = await next.store.readEvents(id, { afterSeq: 0, limit: 100 });
    const shown = events.flatMap((event) => (event.type === "checkpoint" ? [event.progress] : []));
    expect(shown).toEqual([1, 2, 3, 4, 5]);
  });

  it("gives the same wherever its process dies (G1, G6)", async () => {
    const { boundaries, differences } = await checkResumable(replaying({ steps: 0, hangsAt: 0 }), {});
    expect([boundaries, differences]).toEqual([12, []]);
  });

  it("does not go back behind what the same attempt reported (G6)", async () => {
    const tool = defineTool({
      name: "job",
      description: "Does what the test says.",
      input: jobInput,
      async *run(_input, task) {
        yield { progress: 3 };
        if (task.attempt === 1) await new Promise(() => {});
        yield { progress: 4 };
        yield { progress: 3 };
        return "done";
      },
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect(await errorOf(next, id)).toMatchObject({ code: "PROGRESS_WENT_BACK" });
  });
});
