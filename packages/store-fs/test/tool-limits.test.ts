import { createEngine, defineTool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { emptyFolder, openStore } from "./scene.js";

/** A tool whose tasks run until `end` is called, and the most of them that ran at once. */
function heldTool() {
  const ends = new Set<() => void>();
  let most = 0;
  const tool = defineTool({
    name: "held",
    description: "Runs until the test ends it.",
    input: z.object({ n: z.number() }),
    durable: true,
    maxRunningInStore: 2,
    rate: { limit: 4, per: "1h" },
    async run(_input, task) {
      let resolve = () => {};
      const ended = new Promise<void>((end) => {
        resolve = end;
      });
      ends.add(resolve);
      most = Math.max(most, ends.size);
      task.signal.addEventListener("abort", resolve);
      await ended;
      ends.delete(resolve);
    },
  });
  const end = () => {
    for (const each of ends) each();
  };
  return { tool, end, running: () => ends.size, most: () => most };
}

test("processes on a folder run together as many tasks of a tool as may, and begin as many, also after a restart (G11.7, G11.8)", async () => {
  const directory = emptyFolder();
  const { tool, end, running, most } = heldTool();
  const limits = { pollMs: 20 };
  const open = () => {
    const engine = createEngine({ store: openStore(directory), tools: [tool], limits });
    onTestFinished(() => engine.close());
    return { engine, tasks: engine.forOwner("client:a") };
  };
  const processes = [open(), open()];
  for (let n = 0; n < 6; n++) await processes[n % 2]?.tasks.start({ tool: "held", input: { n }, detached: true });
  const statuses = async ({ tasks }: ReturnType<typeof open>) =>
    (await tasks.list()).tasks.map(({ status }) => status).toSorted();
  const waits = async ({ tasks }: ReturnType<typeof open>) => {
    const ids = (await tasks.list({ statuses: ["pending"] })).tasks.map(({ id }) => id);
    return Promise.all(ids.map(async (id) => (await tasks.get(id)).waitsFor?.limit));
  };
  const [first] = processes;
  if (first === undefined) throw new Error("No process.");
  for (let ended = 0; ended < 2; ended++) {
    await expect.poll(running).toBe(2);
    end();
    await expect
      .poll(async () => (await statuses(first)).filter((status) => status === "completed").length)
      .toBe(2 * ended + 2);
  }
  await expect.poll(() => statuses(first)).toEqual([...Array(4).fill("completed"), "pending", "pending"]);
  for (const { engine } of processes) await engine.close();
  const next = open();
  await next.engine.open();
  await expect.poll(() => waits(next)).toEqual(["rate", "rate"]);
  expect([most(), await statuses(next)]).toEqual([2, [...Array(4).fill("completed"), "pending", "pending"]]);
});
