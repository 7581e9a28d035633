import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const core = new URL("../dist/index.js", import.meta.url).href;

const script = `
import { createEngine, createMemoryStore, defineTool } from ${JSON.stringify(core)};
const nap = defineTool({
  name: "nap", description: "Sleeps.", input: { type: "object" },
  async *run(_input, task) { await task.sleep("nap", 50); yield { progress: 1 }; return "awake"; },
});
const engine = createEngine({ store: createMemoryStore(), tools: [nap], validateJsonSchema: () => [] });
const tasks = engine.forOwner("local:me");
const { record } = await tasks.start({ tool: "nap", input: {} });
console.log((await tasks.wait(record.id)).record.output);
`;

const stuck = `
import { createEngine, createMemoryStore, defineTool } from ${JSON.stringify(core)};
const store = createMemoryStore();
const wait = defineTool({
  name: "wait", description: "Waits for nothing.", input: { type: "object" },
  async *run() { yield { progress: 1 }; await new Promise(() => {}); return "never"; },
});
const engine = createEngine({ store, tools: [wait], validateJsonSchema: () => [], limits: { graceMs: 10, drainTimeoutMs: 3_000 } });
const tasks = engine.forOwner("local:me");
const { record } = await tasks.start({ tool: "wait", input: {} });
for await (const { event } of tasks.follow(record.id)) if (event?.type === "checkpoint") break;
await engine.drain();
const { events } = await store.readEvents(record.id, { afterSeq: 0, limit: 10 });
console.log(JSON.stringify(events.at(-1)));
`;

const run = (text: string) =>
  promisify(execFile)(process.execPath, ["--input-type=module", "--eval", text], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });

describe("a process with nothing but an engine", () => {
  it("stays until it has drained, though its only tool waits for what never comes (G8)", async () => {
    const { stdout } = await run(stuck);
    expect(JSON.parse(stdout)).toMatchObject({ type: "attempt_ended", reason: "drained" });
  });

  it("stays while a caller waits for a task, and ends by itself afterwards", async () => {
    const { stdout } = await run(script);
    expect(stdout.trim()).toBe("awake");
  });
});
