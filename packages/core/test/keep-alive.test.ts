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

describe("a process with nothing but an engine", () => {
  it("stays while somebody waits for a task, and ends by itself afterwards", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    expect(stdout.trim()).toBe("awake");
  });
});
