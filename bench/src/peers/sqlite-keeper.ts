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
  const { keep, start, commit, keeper } = openDatabase(directory);
  return {
    ...keeper,
    async keep(taskId, checkpoint) {
      start.run();
      keep(taskId, checkpoint);
      commit.run();
    },
  };
}

/** The same with one transaction for all checkpoints that are kept in a turn of the event loop. */
export function createGroupedSqliteKeeper(directory: string): CheckpointKeeper {
  const { keep, start, commit, keeper } = openDatabase(directory);
  let turn: Promise<void> | undefined;
  const endOfTurn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    turn = undefined;
    commit.run();
  };
  return {
    ...keeper,
    async keep(taskId, checkpoint) {
      if (turn === undefined) {
        start.run();
        turn = endOfTurn();
      }
      keep(taskId, checkpoint);
      await turn;
    },
  };
}

function openDatabase(directory: string) {
  const database = new DatabaseSync(join(directory, "tasks.db"));
  database.exec(schema);
  const insert = database.prepare("INSERT INTO task VALUES (?, 0, NULL)");
  const next = database.prepare("UPDATE task SET seq = seq + 1, record = ? WHERE id = ? RETURNING seq");
  const append = database.prepare("INSERT INTO event VALUES (?, ?, ?)");
  return {
    start: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    keeper: {
      async begin(taskId: string) {
        insert.run(taskId);
      },
      async close() {
        database.close();
      },
    },
    keep(taskId: string, checkpoint: unknown): void {
      const body = JSON.stringify(checkpoint);
      const row = next.get(body, taskId);
      append.run(taskId, Number(row?.seq), body);
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
