import { randomBytes } from "node:crypto";
import type { ResumableError } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import pg from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { toHex } from "./hash.js";
import type { PostgresStoreLimits } from "./limits.js";
import { sharesConnections } from "./pooler.js";
import { Slots } from "./slots.js";
import { invalidOption, isServerError, type OperationKind, storeFailure } from "./store-errors.js";

/** A statement that is prepared once for each connection. `store.` in its text means the store's schema. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** What a statement does. Commits have connections of their own, so that they wait for nothing else. */
export type StatementKind = OperationKind | "commit";

/** A password, or what gives it to each new connection. */
export type Password = string | (() => string | Promise<string>);

/** How to reach the server. */
export interface DatabaseOptions {
  readonly connectionString?: string;
  readonly password?: Password;
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

/**
 * PostgreSQL commits on the primary alone when a wait for a standby is cancelled, and says so in a warning, which is in the
 * server's language. Source: src/backend/replication/syncrep.c, whose other function warns of nothing.
 */
const standbyRoutine = "SyncRepWaitForLSN";

const pooled =
  "A pooler between this process and the database gives each transaction another connection of the server: this process prepares no statements, and learns by polling what other processes do.";

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
  readonly #commits: Connections;
  readonly #others: Connections;
  readonly #ownsPools: boolean;
  readonly #prefix: string;
  readonly #texts = new Map<string, string>();
  /** Connections by whether the server's last commit on them waited for its standby in vain. */
  readonly #warned = new WeakMap<pg.ClientBase, boolean>();
  #findingPooler: Promise<boolean> | undefined;
  #isPooled: boolean | undefined;

  constructor({ connectionString, password, pool, schema, limits, warn }: DatabaseOptions) {
    if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema) || schema.startsWith("pg_")) {
      throw invalidOption(
        "schema",
        "schema must be 1 to 41 characters out of a-z 0-9 _, and begin with a letter or _.",
      );
    }
    this.schema = schema;
    this.limits = limits;
    this.warn = warn;
    this.#prefix = `${toHex(schema).slice(0, 8)}_`;
    this.#ownsPools = pool === undefined;
    [this.#commits, this.#others] =
      pool === undefined ? ownConnections(addressOf(connectionString, password), limits) : share(pool, limits);
    this.place = placeOf(this.#others.pool.options, schema);
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
  async query<Row>(kind: StatementKind, statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.withConnection(kind, (client) => this.queryOn(client, statement, values));
  }

  /** Runs one statement on a connection. Rejects with the driver's error. */
  async queryOn<Row>(
    client: pg.ClientBase,
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    let resolved = this.#texts.get(name);
    if (resolved === undefined) {
      resolved = this.inSchema(text);
      this.#texts.set(name, resolved);
    }
    const prepared = this.#isPooled ? undefined : this.#prefix + name;
    const config = { name: prepared, text: resolved, values: [...values], types: parseInt8 };
    return (await client.query(config)).rows;
  }

  /** Whether the transactions of one connection may reach the server by several of its own, which have no state in common. */
  async isPooled(): Promise<boolean> {
    this.#findingPooler ??= this.#findPooler();
    try {
      return await this.#findingPooler;
    } catch (error) {
      // The next statement tries again.
      this.#findingPooler = undefined;
      throw error;
    }
  }

  async #findPooler(): Promise<boolean> {
    const find = (first: pg.ClientBase) =>
      sharesConnections(first, (work) => this.#withConnection("commit", work, this.limits.statementTimeoutMs));
    const isPooled = await this.#withConnection("read", find, this.limits.statementTimeoutMs);
    if (isPooled) this.warn(pooled);
    this.#isPooled = isPooled;
    return isPooled;
  }

  /** Gives a connection to work that ends with it. A connection on which anything but the server failed is closed. */
  async withConnection<Result>(
    kind: StatementKind,
    work: (client: pg.PoolClient) => Promise<Result>,
    timeoutMs = this.limits.statementTimeoutMs,
  ): Promise<Result> {
    if (this.#isPooled === undefined) await this.isPooled();
    return this.#withConnection(kind, work, timeoutMs);
  }

  #withConnection<Result>(
    kind: StatementKind,
    work: (client: pg.PoolClient) => Promise<Result>,
    timeoutMs: number,
  ): Promise<Result> {
    const { pool, slots } = kind === "commit" ? this.#commits : this.#others;
    return slots.run(async () => {
      let client: pg.PoolClient | undefined;
      try {
        client = await this.#take(pool);
        const result = await inTime(work(client), timeoutMs, () => {
          throw new Error(`the server did not answer within ${timeoutMs} ms`);
        });
        this.checkConfirmed(client);
        client.release();
        return result;
      } catch (error) {
        client?.release(!isServerError(error));
        throw storeFailure(error, kind === "read" ? "read" : "write", this.place);
      }
    });
  }

  /** @throws when the standby has not confirmed what was committed on a connection since the last check. */
  checkConfirmed(client: pg.ClientBase): void {
    if (this.#warned.get(client) !== true) return;
    this.#warned.set(client, false);
    throw new Error("the standby did not confirm the commit, so its outcome is unknown");
  }

  /**
   * Takes a connection of a pool, which hears no error of it from then on. The server's next message may be in the packet that is
   * being read: a promise would come after it.
   */
  #take(pool: pg.Pool): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      pool.connect((error, client) => {
        if (client === undefined) return reject(error);
        this.#listen(client);
        resolve(client);
      });
    });
  }

  #listen(client: pg.ClientBase): void {
    if (this.#warned.has(client)) return;
    this.#warned.set(client, false);
    // A connection may break at a moment in which no statement is under way to report it: its next use does.
    client.on("error", () => {});
    client.on("notice", ({ routine }) => {
      if (routine === standbyRoutine) this.#warned.set(client, true);
    });
  }

  /** Opens a connection of its own, for notifications and for an import. Its user closes it. */
  async connect(): Promise<{ readonly client: pg.ClientBase; readonly close: () => void }> {
    const { pool } = this.#others;
    if (!this.#ownsPools) {
      const client = await this.#take(pool);
      return { client, close: () => client.release(true) };
    }
    // A pool hides the password from a copy of its options.
    const client = new pg.Client({ ...pool.options, password: pool.options.password, keepAlive: true });
    this.#listen(client);
    await client.connect();
    return { client, close: () => void client.end().catch(() => {}) };
  }

  /** Closes the connections that are this store's own. */
  async close(): Promise<void> {
    if (this.#ownsPools) await Promise.all([this.#commits.pool.end(), this.#others.pool.end()]);
  }
}

/** Connections, of which never more are asked for than there are: a pool would count waiting for one as failing to connect. */
interface Connections {
  readonly pool: pg.Pool;
  readonly slots: Slots;
}

function addressOf(connectionString: string | undefined, password: Password | undefined): pg.PoolConfig {
  if (password === undefined) return { connectionString };
  // The driver would take the string's empty password for the one that is meant.
  return { ...(connectionString === undefined ? {} : parsed(connectionString)), password };
}

function parsed(connectionString: string): pg.PoolConfig {
  try {
    return parseIntoClientConfig(connectionString);
  } catch {
    throw badConnectionString();
  }
}

function ownConnections(
  address: pg.PoolConfig,
  limits: PostgresStoreLimits,
): readonly [commits: Connections, others: Connections] {
  const { connectTimeoutMs: connectionTimeoutMillis } = limits;
  const open = (max: number): Connections => {
    const pool = new pg.Pool({ ...address, connectionTimeoutMillis, application_name: "resumable-mcp", max });
    // An idle connection that breaks is replaced at its next use.
    pool.on("error", () => {});
    return { pool, slots: new Slots(max) };
  };
  return [open(limits.maxWriters), open(limits.maxConnections)];
}

function share(pool: pg.Pool, limits: PostgresStoreLimits): readonly [commits: Connections, others: Connections] {
  const { max } = pool.options;
  if (max < 3) {
    throw invalidOption("pool", "The pool must have at least 3 connections: for notifications, commits and the rest.");
  }
  const writers = Math.min(limits.maxWriters, max - 2);
  const others = Math.min(limits.maxConnections, max - 1 - writers);
  return [
    { pool, slots: new Slots(writers) },
    { pool, slots: new Slots(others) },
  ];
}

function placeOf(options: pg.PoolConfig, schema: string): string {
  try {
    const { host, port, database } = new pg.Client({ ...options });
    return `${host}:${port}/${database ?? ""}#${schema}`;
  } catch {
    throw badConnectionString();
  }
}

/** Without a cause: that would show the string, and the password in it. */
function badConnectionString(): ResumableError {
  return invalidOption("connectionString", "connectionString is not a URL as postgres://user@host:5432/database.");
}
