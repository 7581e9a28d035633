import { describe, expect, test } from "vitest";
import { newActor, World } from "../src/world/world.js";

/** Something is put off twice; before the second time the process is frozen, and a message comes. */
async function orderAfterFreeze(hasPhases: boolean): Promise<readonly string[]> {
  const world = new World(1);
  world.hasPhases = hasPhases;
  const actor = newActor("process");
  const order: string[] = [];
  const putOffAgain = () => {
    world.nextTurn(() => order.push("put off twice"), actor);
    actor.frozenUntilMs = 100;
  };
  world.after(1, () => world.nextTurn(putOffAgain, actor), actor);
  world.after(50, () => order.push("message"), actor);
  await world.runUntil(200);
  return order;
}

describe("the event loop of a process that was frozen", () => {
  test("with phases, hears of what came meanwhile before it does what was put off twice", async () => {
    expect(await orderAfterFreeze(true)).toEqual(["message", "put off twice"]);
  });

  test("without phases, has its turns in the order in which they were due", async () => {
    expect(await orderAfterFreeze(false)).toEqual(["put off twice", "message"]);
  });
});
