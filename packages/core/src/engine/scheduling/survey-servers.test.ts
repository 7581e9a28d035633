import { expect, test } from "vitest";
import { z } from "zod";
import { createEngine, createMemoryStore, defineTool } from "../../index.js";

const codeOf = (version: string, gate: Promise<void>) =>
  defineTool({
    name: "train",
    version,
    description: "Trains.",
    input: z.object({ n: z.number() }),
    state: {},
    async *run() {
      yield { progress: 1 };
      await gate;
      return "trained";
    },
  });

test("an operator sees all living processes with what they offer and run, and the tasks of all owners by version", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const store = Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
  const limits = { drainTimeoutMs: 20 };
  const [first, second] = ["1", "2"].map((version) => createEngine({ store, tools: [codeOf(version, gate)], limits }));
  if (first === undefined || second === undefined) throw new Error("Two engines were made.");
  await first.open();
  const { record } = await first.forOwner("sub:ada").start({ tool: "train", input: { n: 1 }, detached: true });
  for await (const followed of first.forOwner("sub:ada").follow(record.id)) {
    if (followed.kind === "event" && followed.event.type === "checkpoint") break;
  }
  const survey = await second.survey();
  expect(survey).toMatchObject({
    workers: [
      { isSelf: true, tasks: 0, offers: { train: "2" } },
      { isSelf: false, tasks: 1, offers: { train: "1" } },
    ],
    versions: [
      { tool: "train", version: "1", tasks: 1, processes: 1 },
      { tool: "train", version: "2", tasks: 0, processes: 1 },
    ],
    unfinished: { total: 1, byStatus: { running: 1 }, byTool: { train: 1 } },
    read: 1,
  });
  const names = survey.workers.map(({ worker }) => worker);
  expect((await first.survey()).workers.map(({ worker }) => worker)).toEqual(names.reverse());
  open();
  await first.close();
  expect((await second.survey()).workers.filter(({ tasks }) => tasks > 0)).toEqual([]);
  await second.close();
});
