import { z } from "zod";
import { createEngine, createMemoryStore, defineTool } from "../src/index.js";

const orderTrip = defineTool({
  name: "order_trip",
  description: "Books a flight and a room.",
  input: z.object({ to: z.string() }),
  output: z.object({ flight: z.string(), room: z.string() }),
  async run({ to }, task) {
    const flight = await task.step("flight", () => `flight to ${to}`);
    const room = await task.step("room", () => `room in ${to}`, { retry: { maxAttempts: 3 }, timeout: "30s" });
    return { flight, room };
  },
});

const engine = createEngine({ store: createMemoryStore(), tools: [orderTrip] });
const tasks = engine.forOwner("local:me");

const { record } = await tasks.start({ tool: "order_trip", input: { to: "Oslo" } });
for await (const seen of tasks.follow(record.id)) {
  if (seen.kind === "event") console.info(seen.event.seq, seen.event.type);
}
const { record: done } = await tasks.wait(record.id);
console.info(done.status, done.output);
await engine.close();
