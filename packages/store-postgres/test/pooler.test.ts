import { createEngine, defineTool } from "@resumable-mcp/core";
import pg from "pg";
import { afterEach, expect, inject, test } from "vitest";
import { z } from "zod";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { newSchema, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Gives each transaction the next free of a few connections of the server, whose own state lasts longer than it. */
class TransactionPooler {
  readonly servers: readonly pg.Client[];
  readonly names = new Set<string>();
  readonly #free: pg.Client[] = [];
  readonly #waiting: ((server: pg.Client) => void)[] = [];
  readonly #inTransaction = new Map<unknown, pg.Client>();

  constructor(count: number) {
    this.servers = Array.from({ length: count }, () => new pg.Client({ connectionString: inject("postgresUrl") }));
    ends.push(() => Promise.all(this.servers.map((server) => server.end())));
  }

  async open(): Promise<void> {
    for (const server of this.servers) {
      await server.connect();
      this.#release(server);
    }
  }

  /** Connections of a process to it. */
  connect(): pg.Pool {
    const pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 8 });
    ends.push(() => pool.end());
    pool.on("connect", (client) => {
      // What a pooler says of itself.
      Reflect.set(client, "processID", 1);
      Reflect.set(client, "query", (config: string | pg.QueryConfig, values?: unknown[]) =>
        this.#query(client, typeof config === "string" ? { text: config, values } : config),
      );
    });
    return pool;
  }

  async #query(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (config.name !== undefined) this.names.add(config.name);
    const server = this.#inTransaction.get(client) ?? (await this.#take());
    if (config.text === "BEGIN") this.#inTransaction.set(client, server);
    if (/^(COMMIT|ROLLBACK)$/.test(config.text)) this.#inTransaction.delete(client);
    try {
      return await server.query(config);
    } finally {
      if (!this.#inTransaction.has(client)) this.#release(server);
    }
  }

  async #take(): Promise<pg.Client> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(server: pg.Client): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(server);
    else next(server);
  }
}

const askName = defineTool({
  name: "ask_name",
  description: "Asks.",
  input: z.object({}),
  state: {},
  async *run(_, task) {
    yield { progress: 1 };
    const answer = await task.ask("name", { message: "Who?", schema: z.object({ name: z.string() }) });
    return { answer: answer.action === "accept" ? answer.content.name : answer.action };
  },
});

function opener() {
  const { schema, limits } = newSchema();
  ends.push(() => runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
  const warnings: string[] = [];
  const open = (pool: pg.Pool) => {
    const store = createPostgresStore({ pool, schema, limits, onWarning: (message) => warnings.push(message) });
    ends.push(() => store.close());
    return store;
  };
  return { schema, warnings, open };
}

const warning =
  "A pooler between this process and the database gives each transaction another connection of the server: this process prepares no statements, and learns by polling what other processes do.";

test.each([1, 3])(
  "two processes work by a pooler that shares %i connections, say that they poll, and leave nothing on them",
  async (count) => {
    const { warnings, open } = opener();
    const pooler = new TransactionPooler(count);
    await pooler.open();
    const [asked, answering] = [0, 1].map(() => {
      const engine = createEngine({ store: open(pooler.connect()), tools: [askName], limits: { pollMs: 20 } });
      ends.push(() => engine.close());
      return engine.forOwner("client:a");
    });
    const id = (await asked?.start({ tool: "ask_name", input: {} }))?.record.id ?? "";
    const status = async () => (await answering?.get(id))?.record.status;
    await expect.poll(status).toBe("input_required");
    await answering?.answer(id, "name", { action: "accept", content: { name: "Ada" } });
    expect((await asked?.wait(id))?.record.output).toEqual({ answer: "Ada" });
    expect([warnings, [...pooler.names]]).toEqual([[warning, warning], []]);
    const left = `SELECT (SELECT setting = reset_val FROM pg_settings WHERE name = 'search_path') AS usual, (SELECT count(*)::int FROM pg_locks
    WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks, ARRAY(SELECT pg_listening_channels()) AS channels`;
    const states = await Promise.all(pooler.servers.map(async (server) => (await server.query(left)).rows));
    expect(states.flat()).toEqual(pooler.servers.map(() => ({ usual: true, locks: 0, channels: [] })));
  },
);

test("by a pooler whose connections each stay with one of the server's, notifications arrive as without it", async () => {
  const { schema, warnings, open } = opener();
  const connect = () => {
    const pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 8 });
    ends.push(() => pool.end());
    return pool.on("connect", (client) => Reflect.set(client, "processID", 1));
  };
  const store = open(connect());
  await store.open();
  store.watch(undefined, () => {});
  const locks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint IN
    (SELECT hashtextextended('${schema}' || split_part(worker, '.', -1), 9) FROM ${schema}.worker)`;
  await store.heartbeat({ worker: "a", now: { wallMs: 1_000_000, monotonicMs: 1_000 } });
  await expect.poll(() => runSql(locks)).toHaveLength(1);
  expect(warnings).toEqual([]);
});
