import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { CheckpointKeeper } from "./checkpoint-keeper.js";

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE task (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, record TEXT) WITHOUT ROWID;
  CREATE TABLE event (task TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (task, seq)) WITHOUT ROWID;
`;

/** SQLite with a write-ahead log that is synced at each commit; one transaction for each checkpoint. */
export function createSqliteKeeper(directory: string): CheckpointKeeper {
  const database = new DatabaseSync(join(directory, "tasks.db"));
  database.exec(schema);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare("INSERT INTO task VALUES (?, 0, NULL)");
  const next = database.prepare("UPDATE task SET seq = seq + 1, record = ? WHERE id = ? RETURNING seq");
  const append = database.prepare("INSERT INTO event VALUES (?, ?, ?)");
  const commit = database.prepare("COMMIT");
  return {
    async begin(taskId) {
      insert.run(taskId);
    },
    async keep(taskId, checkpoint) {
      const body = JSON.stringify(checkpoint);
      begin.run();
      const row = next.get(body, taskId);
      append.run(taskId, Number(row?.seq), body);
      commit.run();
    },
    async close() {
      database.close();
    },
  };
}

/** The version of the library inside the driver, for the report. */
export function sqliteVersion(): string {
  const database = new DatabaseSync(":memory:");
  try {
    return String(database.prepare("SELECT sqlite_version() AS version").get()?.version);
  } finally {
    database.close();
  }
}
