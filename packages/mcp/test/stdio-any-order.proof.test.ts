import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, test, vi } from "vitest";
import { serveStdioEras } from "../src/stdio/index.js";
import { createRandom, greet, someMessages } from "./any-order.js";

const orders = 300;

test("every request gets one response, in any order of both eras' requests", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [greet] });
  for (let seed = 1; seed <= orders; seed++) {
    const sent = someMessages(createRandom(seed));
    const answered: unknown[] = [];
    const connection = serveStdioEras({
      definition: { name: "test", version: "1", tools: [greet] },
      engine,
      write: async (message) => {
        if ("id" in message && ("result" in message || "error" in message)) answered.push(message.id);
      },
      onError: () => {},
    });
    for (const message of sent) await connection.receive(message);
    const ids = sent.flatMap(({ id }) => (id === undefined ? [] : [id]));
    await vi.waitFor(() =>
      expect({ seed, sent, answered: answered.toSorted() }).toEqual({ seed, sent, answered: ids }),
    );
    await connection.close();
  }
  await engine.close();
});
