import { createEngine, defineTool, type Engine } from "@resumable-mcp/core";
import { describe, inject, type TestContext, test } from "vitest";
import { z } from "zod";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { isServerAway } from "../src/database/store-errors.js";
import { startNetwork } from "../src/testing.js";
import { newSchema, runSql } from "./stores.js";

const [tasks, steps, gate] = [6, 25, 5];

/** Times in which a cut is noticed soon. A machine that is too slow for them takes more attempts, and nothing else. */
const storeLimits = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_000, reconnectMs: 100 };
const engineLimits = {
  leaseTtlMs: 3_000,
  heartbeatMs: 200,
  pollMs: 100,
  maxRunningPerOwner: 32,
  maxWriteBackoffMs: 500,
};

/** Two engines on one database, of which the first reaches it by a network. */
async function scene({ expect, onTestFinished }: TestContext) {
  const network = await startNetwork(inject("postgresUrl"));
  const { schema } = newSchema();
  onTestFinished(async () => {
    await network.close();
    await runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  });
  let opened = () => {};
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  /** Of each run, how far it was seen; and attempts that began before that. */
  const seen = new Map<number, number>();
  const repeated: string[] = [];
  const countTo = defineTool({
    name: "count_to",
    description: "Counts; waits at the gate.",
    input: z.object({ run: z.number() }),
    state: { i: 0 },
    async *run({ run }, task) {
      let { i } = task.state;
      if (i < (seen.get(run) ?? 0)) repeated.push(`run ${run} began again at ${i}, and was seen at ${seen.get(run)}`);
      for (; i < steps; i += 1) {
        if (i >= gate) await isOpen;
        yield { progress: i + 1, total: steps, state: { i: i + 1 }, append: [i] };
      }
      return { counted: steps };
    },
  });
  const start = (connectionString: string, limits = {}): Engine => {
    const store = createPostgresStore({ connectionString, schema, limits });
    const engine = createEngine({ store, tools: [countTo], limits: engineLimits });
    onTestFinished(() => engine.close());
    return engine;
  };
  const [near, far] = [start(inject("postgresUrl")), start(network.url, storeLimits)];
  const observed = near.forOwner("client:a");
  /** The same call gets the same task, also after an error that leaves open whether the first one made it. */
  const begin = async (run: number): Promise<{ readonly run: number; readonly id: string }> => {
    try {
      const { record } = await far.forOwner("client:a").start({ tool: "count_to", input: { run }, detached: true });
      return { run, id: record.id };
    } catch (error) {
      if (isServerAway(error)) return begin(run);
      throw error;
    }
  };
  await near.open();
  const started = await Promise.all(Array.from({ length: tasks }, (_, run) => begin(run)));
  const progress = async () => {
    const found = await Promise.all(started.map(async ({ run, id }) => ({ run, ...(await observed.get(id)).record })));
    for (const { run, progress: at } of found) seen.set(run, Math.max(at, seen.get(run) ?? 0));
    return found;
  };
  const untilAll = (what: (each: { readonly status: string; readonly progress: number }) => boolean) =>
    expect.poll(async () => (await progress()).every(what)).toBe(true);
  await untilAll(({ progress: at }) => at >= gate);
  return {
    network,
    /** Lets all runs go through the gate. */
    openGate: () => opened(),
    /** Breaks the network so many times, each time when there are connections again. */
    async resetOften(times: number) {
      for (let time = 1; time <= times; time += 1) {
        await expect.poll(() => network.connections).toBeGreaterThan(0);
        network.reset();
      }
    },
    untilHeld: () => expect.poll(() => network.held).toBeGreaterThan(0),
    untilEnded: () => untilAll(({ status }) => status === "completed"),
    /** The cut engine works again, and what it did meanwhile counts nothing. */
    async expectSound() {
      const later = await begin(tasks);
      expect((await observed.wait(later.id)).record.output).toEqual({ counted: steps });
      expect(repeated).toEqual([]);
      const items = Array.from({ length: steps }, (_, index) => index);
      for (const { id } of [...started, later]) {
        expect((await observed.items(id, { after: 0, limit: 1_000 })).items).toEqual(items);
      }
      const writers = `SELECT task FROM (SELECT task, epoch < lag(epoch) OVER (PARTITION BY task ORDER BY last_seq) AS late
        FROM ${schema}.journal) j WHERE late`;
      expect(await runSql(writers)).toEqual([]);
    },
  };
}

describe("a replica whose network to the database", () => {
  test.concurrent.for([
    ["is slow", { delayMs: 20 }],
    ["is narrow", { bytesPerSecond: 100_000 }],
  ] as const)("%s: its tasks end, each step once", async ([_, trouble], context) => {
    const { network, openGate, untilEnded, expectSound } = await scene(context);
    network.trouble(trouble);
    openGate();
    await untilEnded();
    network.heal();
    await expectSound();
  });

  test.concurrent("is reset often: its tasks end, each step once (G4.1)", async (context) => {
    const { resetOften, openGate, untilEnded, expectSound } = await scene(context);
    const resets = resetOften(20);
    openGate();
    await untilEnded();
    await resets;
    await expectSound();
  });

  test.concurrent.for([
    ["is cut, half-open", "both"],
    ["loses what it sends", "to-server"],
    ["loses what it receives", "to-client"],
  ] as const)(
    "%s: its tasks end elsewhere, each step once, and it works again when the network does",
    async ([_, hold], context) => {
      const { network, openGate, untilHeld, untilEnded, expectSound } = await scene(context);
      network.trouble({ hold });
      openGate();
      await untilHeld();
      await untilEnded();
      network.heal();
      await expectSound();
    },
  );
});
