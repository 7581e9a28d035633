import { isResumableError, type Store } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { pretendCommit } from "../process-memory.js";

type Commit = Store["commit"];

/** Says that it wrote what a quota refused. */
function silent(store: Store, swallows: (quota: string, request: Parameters<Commit>[0]) => boolean): Partial<Store> {
  return {
    async commit(request) {
      try {
        return await store.commit(request);
      } catch (error) {
        if (!isResumableError(error, "QUOTA_EXCEEDED") || !swallows(error.details.quota, request)) throw error;
        return pretendCommit(request);
      }
    },
  };
}

/** Refuses more, once a task was full. */
function strict(store: Store, refuses: (request: Parameters<Commit>[0]) => boolean): Partial<Store> {
  const full = new Map<string, { readonly error: unknown }>();
  return {
    async commit(request) {
      const before = full.get(request.lease.taskId);
      if (before !== undefined && refuses(request)) throw before.error;
      try {
        return await store.commit(request);
      } catch (error) {
        if (isResumableError(error, "QUOTA_EXCEEDED")) full.set(request.lease.taskId, { error });
        throw error;
      }
    },
  };
}

/** Does something before it refuses what is too much. */
function whenRefused(store: Store, act: (request: Parameters<Commit>[0]) => Promise<unknown>): Partial<Store> {
  return {
    commit: (request) =>
      store.commit(request).catch(async (error: unknown) => {
        if (isResumableError(error, "QUOTA_EXCEEDED")) await act(request);
        throw error;
      }),
  };
}

/** Writes the events of a refused commit as far as there is room. */
async function writeWhatFits(store: Store, request: Parameters<Commit>[0]): Promise<void> {
  for (const [index, event] of request.events.entries()) {
    const part = { ...request, events: [event], afterSeq: request.afterSeq + index, consume: [] };
    if ((await store.commit(part).catch(() => undefined)) === undefined) return;
  }
}

const has =
  (...types: readonly TaskEventBody["type"][]) =>
  ({ events }: Parameters<Commit>[0]) =>
    events.some(({ type }) => types.includes(type));
const restarts = has("restarted");

/** Stores that are wrong about quotas. */
export const quotaMutants: readonly Mutant[] = [
  {
    name: "drops events that are too many without a word",
    killedBy: "QUOTA-1",
    mutate: (store) => silent(store, (quota, request) => quota === "maxJournalEvents" && !restarts(request)),
  },
  {
    name: "writes of too many events as many as fit",
    killedBy: "QUOTA-1",
    mutate: (store) => whenRefused(store, (request) => writeWhatFits(store, request)),
  },
  {
    name: "takes the lease from whom it refuses events",
    killedBy: "QUOTA-1",
    mutate: (store) => whenRefused(store, ({ lease }) => store.releaseLease(lease)),
  },
  {
    name: "writes of events that are too large as many as fit",
    killedBy: "QUOTA-2",
    mutate: (store) => whenRefused(store, (request) => writeWhatFits(store, request)),
  },
  {
    name: "drops events that are too large without a word",
    killedBy: "QUOTA-2",
    mutate: (store) => silent(store, (quota) => quota === "maxJournalBytes"),
  },
  {
    name: "lets a task restart whose journal is full",
    killedBy: "QUOTA-3",
    mutate: (store) => silent(store, (_, request) => restarts(request)),
  },
  {
    name: "lets no full task end",
    killedBy: "QUOTA-3",
    mutate: (store) => strict(store, has("completed", "failed", "cancelled")),
  },
  {
    name: "lets no attempt of a full task end",
    killedBy: "QUOTA-3",
    mutate: (store) => strict(store, has("attempt_ended")),
  },
  {
    name: "lets no full task be paused",
    killedBy: "QUOTA-3",
    mutate: (store) => strict(store, has("desiredState")),
  },
  {
    name: "lets no full task be answered",
    killedBy: "QUOTA-3",
    mutate: (store) => strict(store, has("answered")),
  },
  {
    name: "stays full when tasks were deleted",
    killedBy: "QUOTA-4",
    mutate(store) {
      let full: { readonly error: unknown } | undefined;
      return {
        async createTask(request) {
          if (full !== undefined && request.task.key === null) throw full.error;
          return store.createTask(request).catch((error: unknown) => {
            full = { error };
            throw error;
          });
        },
      };
    },
  },
  {
    name: "stays full for callers that come back, once it was",
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
