import { readFile } from "node:fs/promises";
import type { PoolClient } from "pg";
import type { Database } from "./database.js";
import { toHex } from "./hash.js";
import { invalidOption, serverReadOnly, storeLayout } from "./store-errors.js";

/** The files in `migrations/`, in order: each brings a schema to the layout of its number. */
const migrations = ["0001_tables.sql"];
const supportedLayout = migrations.length;
const oldestServer = 15;
/** With the time that another process takes which migrates first. */
const migrationTimeoutMs = 10 * 60 * 1000;

/** What a store may ask of its server. */
export interface OpenOptions {
  readonly durability: "machine" | "process";
  readonly migrate: boolean;
}

interface ServerFacts {
  readonly version: number;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly full_page_writes: string;
  readonly has_layout: boolean;
}

interface LayoutRow {
  readonly layout: number;
  readonly oldest_writer: number;
}

const factsStatement = {
  name: "facts",
  text: `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('full_page_writes') AS full_page_writes,
    to_regclass($1 || '.layout') IS NOT NULL AS has_layout`,
};
const catalogStatement = `SELECT array(SELECT relname::text FROM pg_class WHERE relnamespace = n.oid) AS tables
  FROM pg_namespace n WHERE nspname = $1`;
const layoutStatement = { name: "layout", text: "SELECT layout, oldest_writer FROM store.layout" };

/**
 * Checks the server and the schema, and makes or migrates the schema.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` where the server offers less durability than was asked for,
 * `STORE_LAYOUT` for a schema that this version must not write.
 */
export async function openDatabase(
  database: Database,
  { durability, migrate }: OpenOptions,
): Promise<{ readonly from: number | null; readonly to: number }> {
  const facts = await factsOf(database);
  if (facts.version < oldestServer) {
    throw storeLayout(database.place, `of PostgreSQL ${facts.version}`, supportedLayout, "Use PostgreSQL 15 or later.");
  }
  checkDurability(facts, durability);
  const found = facts.has_layout ? await layoutOf(database) : undefined;
  if (found !== undefined && found.layout >= supportedLayout) {
    checkNewer(database, found);
    return { from: found.layout, to: found.layout };
  }
  if (!migrate) {
    const advice =
      "Run resumable-mcp store migrate, or open the store once with migrate: true, as a user who owns the schema.";
    throw storeLayout(database.place, String(found?.layout ?? "none"), supportedLayout, advice);
  }
  await migrateSchema(database);
  const made = await layoutOf(database);
  if (made?.layout !== supportedLayout) {
    const advice = "Its migrations are all applied: restore it from a backup, or name another schema.";
    throw storeLayout(database.place, String(made?.layout ?? "none"), supportedLayout, advice);
  }
  return { from: found?.layout ?? null, to: supportedLayout };
}

/** Of each table no row is read: the server plans the statement again when one of them was dropped. */
const healthStatement = {
  name: "health",
  text: `SELECT layout, oldest_writer, current_setting('transaction_read_only') AS read_only,
    (SELECT count(*) FROM (${["task", "journal", "snapshot", "answer", "chunk", "document", "worker"]
      .map((table) => `SELECT 1 FROM store.${table} WHERE false`)
      .join(" UNION ALL ")}) x) FROM store.layout`,
};

/**
 * Tells whether the store can be used now.
 *
 * @throws {@link ResumableError} that says what is wrong.
 */
export async function checkDatabase(database: Database): Promise<void> {
  type Row = LayoutRow & { readonly read_only: string };
  const [row] = await database.query<Row>("read", healthStatement, []);
  if (row !== undefined) checkNewer(database, row);
  if (row?.read_only === "on") throw serverReadOnly(database.place);
}

async function factsOf(database: Database): Promise<ServerFacts> {
  const [facts] = await database.query<ServerFacts>("read", factsStatement, [database.schema]);
  if (facts === undefined) throw new Error("A statement without FROM gives one row.");
  return facts;
}

async function layoutOf(database: Database): Promise<LayoutRow | undefined> {
  return (await database.query<LayoutRow>("read", layoutStatement, []))[0];
}

function checkDurability(facts: ServerFacts, durability: OpenOptions["durability"]): void {
  const off = (["fsync", "synchronous_commit", "full_page_writes"] as const).filter((name) => facts[name] === "off");
  if (durability === "process" || off.length === 0) return;
  throw invalidOption(
    "durability",
    `The server cannot keep commits through a loss of power: ${off.join(", ")} is off. Turn it on, or create the store with durability: "process".`,
  );
}

/** A layout of a later version may be one that this version can write. */
function checkNewer(database: Database, { layout, oldest_writer }: LayoutRow): void {
  if (oldest_writer <= supportedLayout) return;
  const advice = "A later version of the package made it: update this program.";
  throw storeLayout(database.place, String(layout), supportedLayout, advice);
}

/** The advisory lock under which the schema is made and migrated. */
export const migrationLock = (schema: string): number => Number.parseInt(toHex(schema).slice(0, 12), 16);

/**
 * Brings the schema from its layout to the newest one, file after file. One transaction, so that it also works by a pooler: the
 * lock and the search path end with it.
 */
async function migrateSchema(database: Database): Promise<void> {
  const { schema } = database;
  const work = async (client: PoolClient) => {
    await client.query("BEGIN");
    try {
      // Processes that open a store at the same time wait for the one that migrates it.
      await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock(schema)]);
      // What that one has made is known to the catalog; this connection may still believe what it saw before.
      const { rows } = await client.query<{ tables: string[] }>(catalogStatement, [schema]);
      if (rows.length === 0) await client.query(`CREATE SCHEMA "${schema}"`);
      await client.query(`SET LOCAL search_path TO "${schema}"`);
      for (const file of migrations.slice(await layoutIn(client, rows[0]?.tables ?? []))) {
        // The build copies them to the same place.
        await client.query(await readFile(new URL(`migrations/${file}`, import.meta.url), "utf8"));
      }
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  };
  await database.withConnection("write", work, migrationTimeoutMs);
}

/** The layout of the schema on the search path. Of one without a number nothing is known: no file is for it. */
async function layoutIn(client: PoolClient, tables: readonly string[]): Promise<number> {
  if (tables.length === 0) return 0;
  const found = tables.includes("layout")
    ? await client.query<{ layout: number }>("SELECT layout FROM layout")
    : undefined;
  return found?.rows[0]?.layout || supportedLayout;
}
