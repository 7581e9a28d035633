import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { openPostgresAdmin } from "@resumable-mcp/store-postgres/admin";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect, newDatabase, serverVariable } from "../src/postgres/database.js";
import { bookAll } from "../src/postgres/many-calls.js";
import { startReplica } from "../src/postgres/replica.js";
import { roundTrips } from "../src/postgres/round-trips.js";
import { fillDatabase } from "../src/postgres/stored-in-postgres.js";
import type { Scope } from "../src/report/measure.js";
import { now, someTask } from "../src/stores/stored-tasks.js";

/** What has not ended by then hangs: the server's disk may be busy. */
const hangMs = 600_000;

let server: PostgresServer | undefined;
beforeAll(async () => {
  const given = process.env.RESUMABLE_MCP_TEST_POSTGRES;
  if (!given) server = await startPostgres();
  process.env[serverVariable] = server?.url ?? given;
}, hangMs);
afterAll(() => server?.stop(), hangMs);

const scope: Scope = {
  folder: () => Promise.reject(new Error("Nothing here needs a folder.")),
  onEnd: (close) => onTestFinished(async () => void (await close()), hangMs),
};

test("a filled database lists, counts and reads its tasks as if the store had made them", {
  timeout: hangMs,
}, async () => {
  const url = await newDatabase(scope);
  await fillDatabase(url, 30);
  const admin = openPostgresAdmin({ connectionString: url });
  scope.onEnd(() => admin.close());
  expect(await admin.check()).toMatchObject({ problems: [] });
  const store = createPostgresStore({ connectionString: url });
  scope.onEnd(() => store.close());
  expect(await store.countTasks({})).toMatchObject({ total: 30, byStatus: { completed: 30 } });
  const { tasks } = await store.listTasks({ limit: 100, owner: "local:bench-7" });
  expect(tasks.map(({ owner }) => owner)).toEqual(["local:bench-7"]);
  for (const { id } of tasks) {
    const again = { ...someTask(), owner: "local:bench-7", key: id };
    const found = await store.createTask({ task: again, reuseResultMs: 3_600_000, now: now() });
    expect({ created: found.created, id: found.snapshot.record.id }).toEqual({ created: false, id });
    const { events } = await store.readEvents(id, { afterSeq: 0, limit: 100 });
    const checkpoints = ["checkpoint", "checkpoint", "checkpoint"];
    expect(events.map(({ type }) => type)).toEqual(["created", "attempt_started", ...checkpoints, "completed"]);
  }
});

test("a checkpoint is one round trip, a start that joins its task two, a lease one", { timeout: hangMs }, async () => {
  const counts: unknown[] = [];
  for (const { id, prepare } of roundTrips) {
    const { subject } = await prepare(scope);
    counts.push([id, await subject(), await subject()]);
  }
  expect(counts).toEqual([
    ["postgres-round-trips-checkpoint", 1, 1],
    ["postgres-round-trips-start", 2, 2],
    ["postgres-round-trips-lease", 1, 1],
  ]);
});

const stepsIn = {
  engine: `SELECT count(*)::int AS steps FROM resumable_mcp.journal WHERE body LIKE '%"type":"step"%'`,
  dbos: "SELECT count(*)::int AS steps FROM dbos.operation_outputs",
};

test.each(["engine", "dbos"] as const)(
  "%s: each step is in the database, and an answer passes between replicas",
  {
    timeout: hangMs,
  },
  async (kind) => {
    const url = await newDatabase(scope);
    const first = await startReplica(scope, kind, { url, name: "a" });
    // It notes the ends of its own attempts: another replica, which may take a task before it, begins later.
    await first.run({ tasks: 2, each: 3 });
    const other = await startReplica(scope, kind, { url, name: "b" });
    const database = await connect(scope, url);
    expect((await database.query(stepsIn[kind])).rows).toEqual([{ steps: 6 }]);
    const id = await first.ask();
    for (const question of [0, 1]) {
      await first.asked({ id, question });
      const at = await other.answer({ id, question });
      const heard = await Promise.race([first.heard({ id, question }), other.heard({ id, question })]);
      expect([at, heard]).toEqual([expect.any(Number), expect.any(Number)]);
    }
  },
);

test.each(["engine", "dbos"] as const)(
  "%s: each order of a shop is booked under one key, though the process dies",
  { timeout: hangMs },
  async (kind) => {
    const { booked, again } = await bookAll(scope, kind, { orders: 150, killsAfter: [60] });
    expect(booked).toBe(150);
    // What was under way at the death.
    expect(again).toBeLessThanOrEqual(100);
  },
);
