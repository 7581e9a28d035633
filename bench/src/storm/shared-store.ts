import { join } from "node:path";
import { observerPoints } from "@resumable-mcp/store-fs";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import type { KillPoint } from "../kills/kill-plan.js";
import type { Acknowledged } from "../kills/life.js";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { built } from "../workers/run-isolated.js";
import type { FolderOrder } from "./folder-store.js";
import { readDatabase } from "./journal-rows.js";
import type { StoredTasks } from "./judge.js";
import { readFolder } from "./read-folder.js";

/** A store that replicas share. */
export interface SharedStore {
  /** As `--store` names it. */
  readonly place: string;
  /** For files of the storm. */
  readonly directory: string;
  /** Its server, which dies, too. */
  readonly database?: PostgresServer;
  /** Points of its code at which replicas may die. */
  readonly points: readonly string[];
  /** Of a replica that dies at a point, in addition to this process's own. */
  environment(point: KillPoint | undefined): Readonly<Record<string, string>>;
  /** Reads all that is stored, without the store's own code where that is to be proven. */
  read(acknowledged: ReadonlyMap<string, readonly Acknowledged[]>): Promise<StoredTasks>;
  close(keepFiles: boolean): Promise<void>;
}

/** A new folder. With `whole` its journals keep their first events. */
export async function openFolder(whole = false): Promise<SharedStore> {
  const { directory, remove } = await temporaryFolder();
  const place = join(directory, "store");
  // Nothing is deleted and nothing is damaged in a storm.
  const avoided = ["store.delete", "store.quarantine", ...(whole ? ["store.compact"] : [])];
  return {
    place,
    directory,
    points: observerPoints.filter((point) => !avoided.some((start) => point.startsWith(start))),
    environment(point) {
      const order: FolderOrder = { point, whole };
      return { NODE_OPTIONS: `--import=${built("storm/other-store.js")}`, STORM_FOLDER: JSON.stringify(order) };
    },
    read: (acknowledged) => readFolder({ directory: place, whole, acknowledged }),
    close: (keepFiles) => (keepFiles ? Promise.resolve() : remove()),
  };
}

/** A new database. */
export async function openDatabase(): Promise<SharedStore> {
  const { directory, remove } = await temporaryFolder();
  const database = await startPostgres();
  return {
    place: database.url,
    directory,
    database,
    points: [],
    environment: () => ({}),
    read: () => readDatabase(database.url),
    async close(keepFiles) {
      await database.stop();
      if (!keepFiles) await remove();
    },
  };
}
