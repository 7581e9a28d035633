import { createEngine, createMemoryStore, defineTool } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { local } from "./owner.js";
import { type CallerRights, tasksWithin } from "./scopes.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const remote = { local: false, reason: "the server requires tokens" } as const;
const withScopes = (...scopes: string[]): CallerRights => ({ token: { clientId: "app", scopes }, locality: remote });

/** An owner with one finished task of a tool that requires two scopes, and one of a tool that requires none. */
async function openTasks() {
  const facts = { description: "Gives 1.", input: z.object({}), run: async () => 1 };
  const pay = defineTool({ ...facts, name: "pay", requiredScopes: ["pay", "write"] });
  const look = defineTool({ ...facts, name: "look" });
  const engine = createEngine({ store: createMemoryStore(), tools: [pay, look] });
  closing.push(() => engine.close());
  const tasks = engine.forOwner("sub:ada");
  const [paid, looked] = await Promise.all(
    ["pay", "look"].map(async (tool) => {
      const { record } = await tasks.start({ tool, input: {} });
      await tasks.wait(record.id);
      return record.id;
    }),
  );
  return { engine, tasks, paid: paid ?? "", looked: looked ?? "" };
}

const refused = { code: "INSUFFICIENT_SCOPE", details: { tool: "pay", missing: ["write"] } };

test("a token with too few scopes starts no tool that requires more, and reaches none of its tasks (G10)", async () => {
  const { engine, tasks, paid, looked } = await openTasks();
  const own = tasksWithin(engine, tasks, withScopes("pay"));
  const follow = async () => {
    for await (const _ of own.follow(paid)) throw new Error("An event was shown.");
  };
  const tried = [
    own.start({ tool: "pay", input: {}, newTask: true }),
    own.get(paid),
    own.wait(paid),
    own.pause(paid),
    own.resume(paid),
    own.cancel(paid),
    own.answer(paid, "sure", { action: "decline" }),
    own.delete(paid),
    own.items(paid),
    own.detach(paid),
    follow(),
  ];
  for (const each of tried) await expect(each).rejects.toMatchObject(refused);
  expect((await own.list()).tasks.map(({ id }) => id)).toEqual([looked]);
  expect((await own.get(looked)).status).toBe("completed");
  expect((await tasks.list()).tasks).toHaveLength(2);
});

test("a token with all scopes, and the user of this machine, reach everything", async () => {
  const { engine, tasks } = await openTasks();
  expect(tasksWithin(engine, tasks, withScopes("write", "read", "pay"))).toBe(tasks);
  expect(tasksWithin(engine, tasks, { token: undefined, locality: local })).toBe(tasks);
});

test("other callers without a token have no scopes, and a token's own count even for local requests", async () => {
  const { engine, tasks, paid } = await openTasks();
  for (const caller of [
    { token: undefined, locality: remote },
    { token: { clientId: "app" }, locality: local },
  ]) {
    await expect(tasksWithin(engine, tasks, caller).get(paid)).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  }
});
