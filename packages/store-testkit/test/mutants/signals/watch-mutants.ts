import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";

type Call = "createTask" | "commit" | "signal" | "releaseLease";

interface Watcher {
  readonly id: string | undefined;
  readonly wake: () => void;
}

/** Notifies only of what its own process did, and only of some of it. */
function notifiesOf(store: Store, concerns: (call: Call, watcher: Watcher, taskId: string) => boolean): Partial<Store> {
  const watchers = new Set<Watcher>();
  const after = <Result>(call: Call, taskId: string, work: Promise<Result>): Promise<Result> =>
    work.then((result) => {
      for (const watcher of watchers) if (concerns(call, watcher, taskId)) watcher.wake();
      return result;
    });
  return {
    watch(id, wake) {
      const watcher = { id, wake };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    createTask: (request) => after("createTask", request.task.id, store.createTask(request)),
    commit: (request) => after("commit", request.lease.taskId, store.commit(request)),
    signal: (id, signal) => after("signal", id, store.signal(id, signal)),
    releaseLease: (lease) => after("releaseLease", lease.taskId, store.releaseLease(lease)),
  };
}

/** Never notifies of one kind of change, to those who watch one task or to those who watch all. */
function overlooks(call: Call, by: "one" | "any", clause: string): Mutant {
  const isBlind = ({ id }: Watcher) => (id === undefined ? by === "any" : by === "one");
  return {
    name: `sends no notification of ${call} to watchers of ${by} task`,
    killedBy: clause,
    silent: true,
    mutate: (store) =>
      notifiesOf(
        store,
        (made, watcher, taskId) => (watcher.id ?? taskId) === taskId && !(made === call && isBlind(watcher)),
      ),
  };
}

/** Notifies once, and is silent for those who continue to watch. */
function notifiesOnce(by: "one" | "any", clause: string): Mutant {
  return {
    name: `notifies once those who watch ${by} task`,
    killedBy: clause,
    silent: true,
    mutate: (store) => ({
      watch(id, wake) {
        let isNotified = false;
        return store.watch(id, () => {
          if (isNotified && (id === undefined) === (by === "any")) return;
          isNotified = true;
          wake();
        });
      },
    }),
  };
}

/** Stores that are wrong about notifications. */
export const watchMutants: readonly Mutant[] = [
  overlooks("commit", "one", "WATCH-1"),
  overlooks("signal", "one", "WATCH-1"),
  notifiesOnce("one", "WATCH-1"),
  overlooks("createTask", "any", "WATCH-2"),
  overlooks("releaseLease", "any", "WATCH-2"),
  overlooks("signal", "any", "WATCH-2"),
  notifiesOnce("any", "WATCH-2"),
  {
    name: "continues to notify a watcher that stopped",
    killedBy: "WATCH-3",
    mutate: (store) => ({
      watch(id, wake) {
        store.watch(id, wake);
        return () => {};
      },
    }),
  },
  {
    name: "notifies only of what its own process did",
    killedBy: "WATCH-4",
    silent: true,
    mutate: (store) => notifiesOf(store, (_, { id }, taskId) => (id ?? taskId) === taskId),
  },
];
