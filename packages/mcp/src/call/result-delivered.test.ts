import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { countTool, createGate } from "../../test/counting-tool.js";
import { noteDelivery } from "./result-delivered.js";

const report = (taskId: string, delivered: boolean) => ({ jsonrpc: "2.0", id: 7, params: { taskId, delivered } });

test.each([true, false])(
  "a task that is deleted while its delivery is noted is unknown (delivered: %s)",
  async (was) => {
    const gate = createGate();
    gate.open(1);
    const engine = createEngine({ store: createMemoryStore(), tools: [countTool(gate)] });
    onTestFinished(() => engine.close());
    const tasks = engine.forOwner("sub:ada");
    const { record } = await tasks.start({ tool: "count_to", input: { n: 1 }, detached: true });
    await tasks.wait(record.id);
    const read = engine.readTask.bind(engine);
    vi.spyOn(engine, "readTask").mockImplementation(async (taskId) => {
      const task = await read(taskId);
      await tasks.delete(taskId);
      return task;
    });
    expect(await noteDelivery(engine, report(record.id, was))).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {},
    });
  },
);
