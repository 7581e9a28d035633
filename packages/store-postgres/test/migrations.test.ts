import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { migrationLock } from "../src/database/open-database.js";
import { startStoreProcess } from "./store-processes.js";
import { newSchema, runSql } from "./stores.js";

const folder = join(import.meta.dirname, "../src/database/migrations");

test("a migration stays as it is once its layout has a number: another schema is another migration", () => {
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n"))
      .digest("hex");
  expect(Object.fromEntries(readdirSync(folder).map((name) => [name, hashOf(name)]))).toEqual({
    "0001_tables.sql": "0386b3bad9e6b32555f5fef7ec1e96163ae7b6c9a7b094fcdc174adb4237d800",
  });
});

const waiting =
  "SELECT count(*)::int AS processes FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ";

test("of processes that make a schema at once one makes it, and the others find it made", async () => {
  const options = newSchema();
  onTestFinished(async () => void (await runSql(`DROP SCHEMA IF EXISTS ${options.schema} CASCADE`)));
  const lock = migrationLock(options.schema);
  const holder = new pg.Client({ connectionString: inject("postgresUrl") });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("SELECT pg_advisory_lock($1)", [lock]);
  const processes = [1, 2, 3].map(() => startStoreProcess(options));
  onTestFinished(async () => void (await Promise.all(processes.map((process) => process.kill()))));
  const opened = processes.map(({ store }) => store.open());
  const all = [{ processes: processes.length }];
  await vi.waitFor(async () => expect(await runSql(waiting + (lock % 2 ** 32))).toEqual(all), 60_000);
  await holder.query("SELECT pg_advisory_unlock($1)", [lock]);
  await Promise.all(opened);
  expect(await runSql(`SELECT layout FROM ${options.schema}.layout`)).toEqual([{ layout: 1 }]);
});
