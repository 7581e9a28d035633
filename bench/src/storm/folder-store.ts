import type { Store } from "@resumable-mcp/core";
import { type FsStoreOptions, createFsStore as openFolder } from "@resumable-mcp/store-fs";
import { dieAt, tell } from "../kills/in-life.js";
import type { KillPoint } from "../kills/kill-plan.js";

/** What a server reads of its store, too. */
export { fsStoreDefaults } from "@resumable-mcp/store-fs";

/** How a replica has its folder. */
export interface FolderOrder {
  readonly point?: KillPoint;
  /** No file of a journal is compacted away, and nothing is lost to the proof. */
  readonly whole: boolean;
}

const { point, whole }: FolderOrder = JSON.parse(process.env.STORM_FOLDER ?? "{}");

/** Ends this process where its order says so. */
export const observer = dieAt(point);

/** The store of every replica on a folder. It tells of each commit as soon as its writer may rely on it. */
export function createFsStore(options: FsStoreOptions): Store {
  // Small files, so that journals rotate, and are compacted, in every life.
  const files = whole ? { maxJournalFiles: 100_000 } : { maxJournalFiles: 6, keepJournalFiles: 2 };
  const limits = { ...options.limits, ...files, rotateBytes: 4 * 1024, documentPauseMs: 20 };
  const store = openFolder({ ...options, observer, limits });
  return {
    ...store,
    async commit(request) {
      const result = await store.commit(request);
      const { taskId, epoch, worker } = request.lease;
      const { afterSeq } = request;
      tell({ kind: "acknowledged", taskId, epoch, worker, afterSeq, lastSeq: result.record.lastSeq });
      return result;
    },
  };
}
