import { randomBytes } from "node:crypto";
import type { Store } from "@resumable-mcp/core";
import type { StoreHarness } from "@resumable-mcp/store-testkit";
import pg from "pg";
import { inject } from "vitest";
import { createPostgresStore, type PostgresStoreOptions } from "../src/create-postgres-store.js";

/** Answers that a busy machine delays are of the time of their question here: the kit turns its clocks by hand. */
const limits = { slowAnswerMs: Number.POSITIVE_INFINITY };

/** A clause that takes longer hangs. Earlier than the test's own end, so that the failure says which clause. */
export const clauseTimeoutMs = 500_000;

/** Options of a store in a schema of its own, on the server of this test run. */
export function newSchema(): PostgresStoreOptions & { readonly schema: string } {
  return { connectionString: inject("postgresUrl"), schema: `t_${randomBytes(6).toString("hex")}`, limits };
}

/** Runs one statement as a superuser. */
export async function runSql(text: string, connectionString = inject("postgresUrl")): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Sends a statement of a connection with another text, or by another connection, or not at all. */
export type Rewrite = (
  send: (text: string, by?: pg.ClientBase) => Promise<unknown>,
  text: string,
  name: string,
) => Promise<unknown>;

/** Makes a pool whose connections send what `rewrite` makes of each statement. */
export function rewritingPool(connectionString: string | undefined, rewrite: Rewrite): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 8 });
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    const query = client.query.bind(client);
    Reflect.set(client, "query", (config: string | pg.QueryConfig, ...rest: unknown[]) => {
      const { text, name = "" } = typeof config === "string" ? { text: config } : config;
      const send = (other: string, by?: pg.ClientBase) => {
        const parameters = [typeof config === "string" ? other : { ...config, text: other }, ...rest];
        return by === undefined ? Reflect.apply(query, client, parameters) : Reflect.apply(by.query, by, parameters);
      };
      // Names begin with eight characters of the schema's own.
      return rewrite(send, text, name.slice(9));
    });
  });
  return pool;
}

/** A store whose process can be killed: its connections break, and it opens no others. */
class Process {
  readonly store: Store;
  readonly options: PostgresStoreOptions;
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.PoolClient>();

  constructor(options: PostgresStoreOptions, rewrite: Rewrite) {
    const { connectionString, ...rest } = options;
    this.#pool = rewritingPool(connectionString, rewrite);
    this.#pool.on("connect", (client) => this.#clients.add(client));
    this.options = options;
    this.store = createPostgresStore({ ...rest, pool: this.#pool });
  }

  kill(): void {
    void this.#pool.end();
    for (const client of this.#clients) {
      client.on("error", () => {});
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }

  async end(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

/** How the kit gets hold of stores, each with connections of its own. */
export function processHarness(
  given: PostgresStoreOptions = {},
  rewrite: Rewrite = (send, text) => send(text),
): StoreHarness {
  const processes = new Map<Store, Process>();
  const open = (options: PostgresStoreOptions): Store => {
    const process = new Process(options, rewrite);
    processes.set(process.store, process);
    return process.store;
  };
  const processOf = (store: Store): Process => {
    const process = processes.get(store);
    if (process === undefined) throw new Error("This store does not belong to this harness.");
    return process;
  };
  const fresh = () => ({ ...newSchema(), ...given, limits: { ...limits, ...given.limits } });
  const another = async (store: Store) => open(processOf(store).options);
  return {
    open: async () => open(fresh()),
    limited: async (quotas) => open({ ...fresh(), limits: { ...limits, ...given.limits, ...quotas } }),
    second: another,
    // Nothing but heartbeats passes between the two.
    async far(store) {
      const { limits: own, ...options } = processOf(store).options;
      return open({ ...options, limits: { ...own, deathNoticeMs: Number.POSITIVE_INFINITY } });
    },
    async reopen(store) {
      processOf(store).kill();
      return another(store);
    },
    async dispose() {
      const schemas = new Set([...processes.values()].map(({ options }) => options.schema));
      await Promise.all([...processes.values()].map((process) => process.end()));
      processes.clear();
      for (const schema of schemas) await runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}
