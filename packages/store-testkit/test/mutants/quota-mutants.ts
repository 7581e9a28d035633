import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

type Commit = Store["commit"];

/** Says that it wrote what a quota refused. */
function silent(store: Store, swallows: (quota: string, request: Parameters<Commit>[0]) => boolean): Partial<Store> {
  return {
    async commit(request) {
      try {
        return await store.commit(request);
      } catch (error) {
        if (!isResumableError(error, "QUOTA_EXCEEDED") || !swallows(error.details.quota, request)) throw error;
        return { lastSeq: request.afterSeq, signals: [] };
      }
    },
  };
}

const restarts = ({ events }: Parameters<Commit>[0]) => events.some(({ type }) => type === "restarted");

/** Stores that are wrong about quotas. */
export const quotaMutants: readonly Mutant[] = [
  {
    name: "drops events that are too many without a word",
    killedBy: "QUOTA-1",
    mutate: (store) => silent(store, (quota, request) => quota === "maxJournalEvents" && !restarts(request)),
  },
  {
    name: "drops events that are too large without a word",
    killedBy: "QUOTA-2",
    mutate: (store) => silent(store, (quota) => quota === "maxJournalBytes"),
  },
  {
    name: "lets a task begin anew whose journal is full",
    killedBy: "QUOTA-3",
    mutate: (store) => silent(store, (_, request) => restarts(request)),
  },
  {
    name: "stays full for whoever comes back, once it was",
    killedBy: "QUOTA-4",
    mutate(store) {
      let full: Promise<never> | undefined;
      return {
        createTask(request) {
          if (full !== undefined) return full;
          const made = store.createTask(request);
          made.catch((error: unknown) => {
            if (!isResumableError(error, "QUOTA_EXCEEDED")) return;
            full = Promise.reject(error);
            full.catch(() => {});
          });
          return made;
        },
      };
    },
  },
  {
    name: "stops running tasks when it takes no new one",
    killedBy: "QUOTA-5",
    mutate(store) {
      let full: unknown;
      return {
        createTask: (request) =>
          store.createTask(request).catch((error: unknown) => {
            full = error;
            throw error;
          }),
        commit: (request) => (full === undefined ? store.commit(request) : Promise.reject(full)),
      };
    },
  },
];
