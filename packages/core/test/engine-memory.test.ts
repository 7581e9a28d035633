import { getHeapSnapshot } from "node:v8";
import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, quick, type Scene } from "./scene.js";

failOnUnhandledRejections();

describe("the engine's memory (G11)", () => {
  it("does not grow with the tasks that have finished (G11.2)", async () => {
    const { tool, gates } = gatedCount(1, { name: "gated" });
    const createId = recognisableIds();
    const scene = createScene([quick, tool], { limits: { ttlMs: 0 }, createId });
    const { engine, tasks, clock } = scene;
    const unfinished = (await tasks.start({ tool: "gated", input: {}, detached: true })).record.id;
    const last = await finishMany(scene, 60, createId);
    // Longer than anything is kept for a while.
    await clock.advance(60_000);
    await engine.sweep();
    // An owner's tasks keep the one that they read last.
    expect(await reachableIds()).toEqual([`${mark}0000000000000001`, unfinished, last]);
    gates[0]?.open();
    await engine.close();
  });
});

/** Runs tasks of one owner and as many of other owners to their ends. Returns the last id of the one. */
async function finishMany({ engine, tasks, rest }: Scene, count: number, createName: () => string): Promise<string> {
  let last = "";
  const delivered: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < count; n++) {
    last = (await tasks.start({ tool: "job", input: { n } })).record.id;
    tasks.addWaiter(last)("gone");
    const other = engine.forOwner(`session:${createName()}`);
    const { record } = await other.start({ tool: "job", input: { n } });
    delivered.push(() => other.markDelivered(record.id));
  }
  await rest();
  for (const note of delivered) await note();
  return last;
}

/** Begins ids that no other text resembles. The first of them is the worker's. */
const mark = "id_of_this_test_";

/** Makes each id a text of its own: a snapshot of the heap does not show the content of one that was concatenated. */
function recognisableIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return Buffer.from(`${mark}${String(count).padStart(16, "0")}`).toString();
  };
}

/** The ids that anything in this process still refers to, private members and closures included. */
async function reachableIds(): Promise<readonly string[]> {
  const pattern = new RegExp(`${mark}\\d{16}`, "g");
  const found = new Set<string>();
  // The runtime keeps the text that an expression matched last.
  /text/.test("another text");
  let end = "";
  for await (const chunk of getHeapSnapshot()) {
    const text = `${end}${chunk}`;
    for (const [id] of text.matchAll(pattern)) found.add(id);
    end = text.slice(-mark.length - 16);
  }
  return [...found].sort();
}
