import { randomBytes } from "node:crypto";
import pg from "pg";
import { hexOf } from "./hash.js";
import type { PostgresStoreLimits } from "./limits.js";
import { invalidOption, isServerError, type OperationKind, storeFailure } from "./store-errors.js";

/** A statement that is prepared once for each connection. `store.` in its text means the store's schema. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** How to reach the server. */
export interface DatabaseOptions {
  readonly connectionString?: string;
  readonly pool?: pg.Pool;
  readonly schema: string;
  readonly limits: PostgresStoreLimits;
  readonly warn: (message: string) => void;
}

const parseInt8 = { getTypeParser };

/** 64-bit numbers of this store are counts and milliseconds, which JavaScript's numbers hold. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
}

/** PostgreSQL commits on the primary alone when a wait for a standby is cancelled, and says so in a warning. */
const notReplicated = /^canceling (the )?wait for synchronous replication/;

/**
 * Runs statements on the connections of one opened store.
 *
 * A statement whose connection broke may still take effect: only statements that are fenced or idempotent are run.
 */
export class Database {
  readonly schema: string;
  readonly limits: PostgresStoreLimits;
  /** Names this opened store among all that ever used the schema. */
  readonly instance = randomBytes(9).toString("base64url");
  /** Where the store is, without any secret. */
  readonly place: string;
  readonly warn: (message: string) => void;
  readonly #pools: { readonly [Kind in OperationKind]: pg.Pool };
  readonly #ownsPools: boolean;
  readonly #prefix: string;
  readonly #texts = new Map<string, string>();
  /** Connections by whether the server's last commit on them waited for its standby in vain. */
  readonly #warned = new WeakMap<pg.ClientBase, boolean>();

  constructor({ connectionString, pool, schema, limits, warn }: DatabaseOptions) {
    if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema) || schema.startsWith("pg_")) {
      throw invalidOption(
        "schema",
        "schema must be 1 to 41 characters out of a-z 0-9 _, and begin with a letter or _.",
      );
    }
    this.schema = schema;
    this.limits = limits;
    this.warn = warn;
    this.#prefix = `${hexOf(schema).slice(0, 8)}_`;
    this.#ownsPools = pool === undefined;
    this.#pools = pool === undefined ? ownPools(connectionString, limits) : { read: pool, write: pool };
    // An idle connection that breaks is replaced at its next use.
    if (this.#ownsPools) for (const each of Object.values(this.#pools)) each.on("error", () => {});
    this.place = placeOf(this.#pools.read.options, schema);
  }

  /** Replaces `store.` by the schema. */
  inSchema(text: string): string {
    return text.replaceAll(/\bstore\./g, `"${this.schema}".`);
  }

  /**
   * Runs one statement.
   *
   * @throws {@link ResumableError} `STORE_READ_FAILED`, `STORE_WRITE_FAILED` or `STORE_MISSING`, with the server's error as cause.
   */
  async query<Row>(
    kind: OperationKind,
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    let resolved = this.#texts.get(name);
    if (resolved === undefined) {
      resolved = this.inSchema(text);
      this.#texts.set(name, resolved);
    }
    const config = { name: this.#prefix + name, text: resolved, values: [...values], types: parseInt8 };
    return this.withConnection(kind, async (client) => (await client.query(config)).rows);
  }

  /** Gives a connection to work that ends with it. A connection on which anything but the server failed is closed. */
  async withConnection<Result>(
    kind: OperationKind,
    work: (client: pg.PoolClient) => Promise<Result>,
    timeoutMs = this.limits.statementTimeoutMs,
  ): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pools[kind].connect();
      this.#listen(client);
      const result = await withTimeout(work(client), timeoutMs);
      if (this.#warned.get(client))
        throw new Error("the standby did not confirm the commit, so its outcome is unknown");
      client.release();
      return result;
    } catch (error) {
      client?.release(!isServerError(error));
      throw storeFailure(error, kind, this.place);
    }
  }

  #listen(client: pg.PoolClient): void {
    if (this.#warned.has(client)) return;
    this.#warned.set(client, false);
    // A connection may break at a moment in which no statement is under way to report it: its next use does.
    client.on("error", () => {});
    client.on("notice", ({ message }) => {
      if (notReplicated.test(message ?? "")) this.#warned.set(client, true);
    });
  }

  /** Opens a connection of its own, for notifications. Its user closes it. */
  async connect(): Promise<{ readonly client: pg.ClientBase; readonly close: () => void }> {
    const pool = this.#pools.read;
    if (!this.#ownsPools) {
      const client = await pool.connect();
      return { client, close: () => client.release(true) };
    }
    const client = new pg.Client({ ...pool.options, keepAlive: true });
    client.on("error", () => {});
    await client.connect();
    return { client, close: () => void client.end().catch(() => {}) };
  }

  /** Closes the connections that are this store's own. */
  async close(): Promise<void> {
    if (this.#ownsPools) await Promise.all([this.#pools.read.end(), this.#pools.write.end()]);
  }
}

function ownPools(connectionString: string | undefined, limits: PostgresStoreLimits) {
  const { connectTimeoutMs: connectionTimeoutMillis, maxReaders, maxWriters } = limits;
  const shared = { connectionString, connectionTimeoutMillis, application_name: "resumable-mcp" };
  return {
    read: new pg.Pool({ ...shared, max: maxReaders }),
    write: new pg.Pool({ ...shared, max: maxWriters }),
  };
}

function placeOf(options: pg.PoolConfig, schema: string): string {
  try {
    const { host, port, database } = new pg.Client({ ...options });
    return `${host}:${port}/${database ?? ""}#${schema}`;
  } catch {
    // The cause would show the string, and the password in it.
    throw invalidOption("connectionString", "connectionString is not a URL as postgres://user@host:5432/database.");
  }
}

async function withTimeout<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
