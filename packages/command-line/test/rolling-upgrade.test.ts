import { createEngine, defineTool, type Engine, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { emptyFolder } from "../../store-fs/test/scene.js";
import { newDatabase, openDatabase, usePostgres } from "./database.js";

usePostgres();

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** A worker of one version: the first attempt of a task makes a checkpoint and waits to be stopped. */
async function workerOf(store: Store, version: string, began: string[]): Promise<Engine> {
  const tool = defineTool({
    name: "job",
    description: "Waits to be stopped, and ends when it runs again.",
    version,
    accepts: version === "2" ? ["1"] : [],
    input: z.object({ n: z.number() }),
    state: { at: 0 },
    async *run({ n }, task) {
      began.push(`${n} by ${version}`);
      if (task.attempt === 1) {
        yield { progress: 1, state: { at: 1 } };
        await new Promise<never>((_resolve, reject) => {
          task.signal.addEventListener("abort", () => reject(task.signal.reason));
        });
      }
      return version;
    },
  });
  const limits = { pollMs: 50, heartbeatMs: 50, versionWaitMs: 0, drainTimeoutMs: 1_500 };
  const engine = createEngine({ store, tools: [tool], limits });
  engines.push(engine);
  await engine.open();
  return engine;
}

/** Waits until something is in the journal of a task. */
async function seen(engine: Engine, id: string, type: string): Promise<void> {
  for await (const each of engine.forOwner("client:a").follow(id))
    if (each.kind === "event" && each.event.type === type) return;
}

async function began(engine: Engine, n: number): Promise<string> {
  const { record } = await engine.forOwner("client:a").start({ tool: "job", input: { n }, detached: true });
  await seen(engine, record.id, "checkpoint");
  return record.id;
}

test.each([
  [
    "a folder",
    () => {
      const directory = emptyFolder();
      return () => createFsStore({ directory, durability: "process" });
    },
  ],
  [
    "PostgreSQL",
    () => {
      const names = newDatabase();
      return () => openDatabase(names);
    },
  ],
] as const)(
  "in a rolling upgrade on %s, no task is run by code that cannot read its state",
  async (_where, prepare) => {
    const openStore = prepare();
    const runs: string[] = [];
    const worker = (version: string) => workerOf(openStore(), version, runs);
    const first = await worker("1");
    const one = await began(first, 1);
    // A detached task is for any worker of its version: only the one that is to be stopped may be there to begin it.
    const same = await worker("1");
    const next = await worker("2");
    await first.close();
    await seen(next, one, "completed");
    const two = await began(same, 2);
    await same.close();
    await seen(next, two, "completed");
    const three = await began(next, 3);
    const back = await worker("1");
    await next.close();
    await seen(back, three, "refused");
    const waiting = await back.forOwner("client:a").get(three);
    expect([waiting.status, waiting.record.message]).toEqual([
      "pending",
      expect.stringContaining("needs version 2 of job"),
    ]);
    const last = await worker("2");
    await seen(last, three, "completed");
    expect(runs).toEqual(["1 by 1", "1 by 1", "2 by 1", "2 by 2", "3 by 2", "3 by 2"]);
  },
);
