import { randomBytes } from "node:crypto";
import type { Store } from "@resumable-mcp/core";
import { createPostgresStore, type PostgresStoreOptions } from "@resumable-mcp/store-postgres";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";

let server: PostgresServer | undefined;

/** One PostgreSQL server for the tests of a file. */
export function usePostgres(): void {
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
}

/** The URL of a superuser on it. */
export function databaseUrl(): string {
  if (server === undefined) throw new Error("The server starts before the first test.");
  return server.url;
}

/** The arguments that name a schema that no other test uses. */
export function newDatabase(): readonly [...string[], string] {
  return ["--store", databaseUrl(), "--store-schema", `t_${randomBytes(6).toString("hex")}`];
}

/** A store on what arguments name, closed after the test. */
export function openDatabase(names: readonly string[], options: PostgresStoreOptions = {}): Store {
  const store = createPostgresStore({ connectionString: databaseUrl(), schema: names.at(-1), ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Runs statements as a superuser; `store.` in them means the schema that arguments name. */
export async function runSql(names: readonly string[], text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl() });
  await client.connect();
  await client.query(text.replaceAll("store.", `${names.at(-1)}.`)).finally(() => client.end());
}
