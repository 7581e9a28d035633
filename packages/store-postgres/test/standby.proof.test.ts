import { isResumableError } from "@resumable-mcp/core";
import type { NewTask } from "@resumable-mcp/core/store";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { startNetwork, startPostgres } from "../src/testing.js";
import { runSql } from "./stores.js";

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task: NewTask = {
  id: "standby-task-000000001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};

/** A primary that acknowledges a commit when its standby has it. */
async function pair() {
  const primary = await startPostgres();
  onTestFinished(() => primary.stop());
  const standby = await startPostgres({ standbyOf: primary.url });
  onTestFinished(() => standby.stop());
  await runSql("ALTER SYSTEM SET synchronous_standby_names = 'standby'", primary.url);
  await runSql("SELECT pg_reload_conf()", primary.url);
  const states = () => runSql("SELECT application_name, sync_state FROM pg_stat_replication", primary.url);
  await expect.poll(states).toEqual([{ application_name: "standby", sync_state: "sync" }]);
  return { primary, standby };
}

test("nothing that was acknowledged is lost, and nothing is there twice, when the primary dies and its synchronous standby takes over (G1.1)", async () => {
  const { primary, standby } = await pair();
  const network = await startNetwork(primary.url);
  onTestFinished(() => network.close());
  const store = createPostgresStore({ connectionString: network.url, limits: { connectTimeoutMs: 1_000 } });
  onTestFinished(() => store.close());
  await store.createTask({ task, reuseResultMs: 0, now });
  const failOver = async () => {
    await primary.kill();
    expect(await runSql("SELECT pg_promote()", standby.url)).toEqual([{ pg_promote: true }]);
    network.leadTo(standby.url);
  };
  const acquire = async () => {
    for (;;) {
      try {
        const taken = await store.acquireLease({ taskId: task.id, worker: "worker", ttlMs: 10_000, now });
        if (taken !== undefined) return { lease: taken.lease, lastSeq: taken.snapshot.record.lastSeq };
        // What a lost answer said of a lease is learnt with a heartbeat.
        await store.heartbeat({ worker: "worker", now });
      } catch (error) {
        if (!isResumableError(error, "STORE_WRITE_FAILED", "STORE_READ_FAILED")) throw error;
      }
    }
  };
  const acknowledged: number[] = [];
  let { lease, lastSeq } = await acquire();
  let failedOver: Promise<void> | undefined;
  for (let progress = 1; progress <= 100; progress++) {
    if (progress === 30) failedOver = failOver();
    try {
      const events = [{ type: "checkpoint", progress, items: [progress] }] as const;
      lastSeq = (await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now })).record.lastSeq;
      acknowledged.push(progress);
    } catch (error) {
      expect(isResumableError(error, "STORE_WRITE_FAILED")).toBe(true);
      await failedOver;
      ({ lease, lastSeq } = await acquire());
    }
  }
  await failedOver;
  const { items } = await store.readItems(task.id, { after: 0, limit: 1_000 });
  expect(items.filter((item) => acknowledged.includes(Number(item)))).toEqual(acknowledged);
  expect(new Set(items).size).toBe(items.length);
  expect(acknowledged).toContain(100);
  expect((await store.getTask(task.id))?.record).toMatchObject({ progress: 100, itemCount: items.length });
});
