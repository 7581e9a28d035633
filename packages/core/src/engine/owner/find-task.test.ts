import { expect, test } from "vitest";
import { z } from "zod";
import { createEngine, createMemoryStore, defineTool } from "../../index.js";

const gates = new Map<string, () => void>();
/** Ends at once, or when its gate is opened. Of two names with the same letters it makes one key. */
const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string(), hold: z.boolean().default(false) }),
  key: ({ name }) => name.toLowerCase(),
  state: {},
  async *run({ name, hold }) {
    yield { progress: 1 };
    if (hold) await new Promise<void>((resolve) => gates.set(name, resolve));
    return `Hello, ${name}!`;
  },
});
const unkeyed = defineTool({
  name: "unkeyed",
  description: "Has no key.",
  input: z.object({ n: z.number() }),
  key: () => null,
  durable: true,
  run: async ({ n }) => n,
});

function owners() {
  // Of two tasks of one millisecond the one with the higher id is the newer one.
  let ids = 0;
  const createId = () => String(ids++).padStart(32, "0");
  const limits = { drainTimeoutMs: 20 };
  const engine = createEngine({ store: createMemoryStore(), tools: [greet, unkeyed], limits, createId });
  return { engine, ada: engine.forOwner("sub:ada"), bob: engine.forOwner("sub:bob") };
}

test("a call's task is found by its key before it has finished and afterwards, and nothing is started", async () => {
  const { engine, ada, bob } = owners();
  const call = { tool: "greet", input: { name: "Eve" } };
  expect(await ada.find(call)).toBeUndefined();
  expect((await ada.count()).total).toBe(0);
  const { record } = await ada.start({ ...call, input: { name: "Eve", hold: true }, detached: true });
  expect((await ada.find({ ...call, input: { name: "EVE" } }))?.record.id).toBe(record.id);
  expect(await bob.find(call)).toBeUndefined();
  await expect.poll(() => gates.has("Eve")).toBe(true);
  gates.get("Eve")?.();
  await ada.wait(record.id);
  expect((await ada.find(call))?.record.id).toBe(record.id);
  await engine.close();
});

test("of several tasks of a call the unfinished one is found, else the newest", async () => {
  const { engine, ada } = owners();
  const call = { tool: "greet", input: { name: "Held", hold: true } };
  const held = await ada.start({ ...call, detached: true });
  const other = { tool: "greet", input: { name: "Held" }, newTask: true, detached: true };
  const finished = await ada.start(other);
  await ada.wait(finished.record.id);
  expect((await ada.find(other))?.record.id).toBe(held.record.id);
  await expect.poll(() => gates.has("Held")).toBe(true);
  gates.get("Held")?.();
  await ada.wait(held.record.id);
  expect((await ada.find(other))?.record.id).toBe(finished.record.id);
  await engine.close();
});

test("a task without a key is found by an equal input, and what does not fit is refused", async () => {
  const { engine, ada } = owners();
  await ada.start({ tool: "unkeyed", input: { n: 1 }, detached: true });
  const second = await ada.start({ tool: "unkeyed", input: { n: 2 }, detached: true });
  expect((await ada.find({ tool: "unkeyed", input: { n: 2 } }))?.record.id).toBe(second.record.id);
  expect(await ada.find({ tool: "unkeyed", input: { n: 3 } })).toBeUndefined();
  await expect(ada.find({ tool: "unkeyed", input: {} })).rejects.toMatchObject({ code: "INVALID_VALUE" });
  await expect(ada.find({ tool: "nothing", input: {} })).rejects.toMatchObject({ code: "UNKNOWN_TOOL" });
  await engine.close();
});
