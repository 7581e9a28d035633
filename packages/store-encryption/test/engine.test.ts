import { createEngine, createMemoryStore, defineTool } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { withEncryption } from "../src/with-encryption.js";
import { newKeyring } from "./scene.js";

const secret = "4111-1111-1111-1111";
const tools = [
  defineTool({
    name: "charge",
    description: "Charges a card.",
    input: z.object({ card: z.string() }),
    label: ({ card }) => `card ${card}`,
    state: { paid: { receipt: "" } },
    async *run(_input, task) {
      const paid = await task.step(`pay ${secret}`, () => ({ receipt: secret }));
      yield { progress: 1, message: secret, state: { paid }, append: [secret] };
      return { paid };
    },
  }),
];

test("an engine runs a task in an encrypted store, and another one without the keyring is refused", async () => {
  const memory = createMemoryStore();
  const engine = createEngine({ store: withEncryption(memory, newKeyring()), tools });
  const tasks = engine.forOwner(`sub:${secret}`);
  const { record: begun } = await tasks.start({ tool: "charge", input: { card: secret } });
  const { record } = await tasks.wait(begun.id);
  expect(record).toMatchObject({ status: "completed", output: { paid: { receipt: secret } } });
  expect(record.label).toBe(`card ${secret}`);
  expect((await tasks.list()).tasks).toMatchObject([{ id: record.id, label: `card ${secret}` }]);
  const inside = [
    await memory.getTask(record.id),
    await memory.readEvents(record.id, { afterSeq: 0, limit: 100 }),
    await memory.readItems(record.id, { after: 0, limit: 100 }),
    await memory.listTasks({ limit: 10 }),
  ];
  expect(JSON.stringify(inside)).not.toContain(secret);
  const plain = createEngine({ store: memory.anotherProcess(), tools });
  await expect(plain.open()).rejects.toMatchObject({ code: "STORE_ENCRYPTED" });
  await Promise.all([engine.close(), plain.close()]);
});

test("the limits of a tool in all processes count in an encrypted store (G11.7, G11.8)", async () => {
  const limited = defineTool({
    name: "limited",
    description: "Begins once in an hour.",
    input: z.object({ n: z.number() }),
    run: async ({ n }) => n,
    maxRunningInStore: 1,
    rate: { limit: 1, per: "1h" },
  });
  const [memory, keyring] = [createMemoryStore(), newKeyring()];
  for (const [n, store] of [memory, memory.anotherProcess()].entries()) {
    const engine = createEngine({ store: withEncryption(store, keyring), tools: [limited] });
    const tasks = engine.forOwner("client:a");
    const { id } = (await tasks.start({ tool: "limited", input: { n } })).record;
    const seen = async () => (({ status, waitsFor }) => waitsFor?.limit ?? status)(await tasks.get(id));
    await expect.poll(seen).toBe(n === 0 ? "completed" : "rate");
    await engine.close();
  }
});
