import type { Store } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";

type Call = "createTask" | "commit" | "signal" | "releaseLease";

interface Watcher {
  readonly id: string | undefined;
  readonly wake: () => void;
}

/** Hints only at what its own process did, and only at some of it. */
function hintsAt(store: Store, concerns: (call: Call, watcher: Watcher, taskId: string) => boolean): Partial<Store> {
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

/** Never hints at one kind of change, to those who watch one task or to those who watch all. */
function overlooks(call: Call, by: "one" | "any", clause: string): Mutant {
  const isBlind = ({ id }: Watcher) => (id === undefined ? by === "any" : by === "one");
  return {
    name: `hints at no ${call} to whoever watches ${by} task`,
    killedBy: clause,
    silent: true,
    mutate: (store) =>
      hintsAt(
        store,
        (made, watcher, taskId) => (watcher.id ?? taskId) === taskId && !(made === call && isBlind(watcher)),
      ),
  };
}

/** Hints once, and is silent for whoever goes on watching. */
function hintsOnce(by: "one" | "any", clause: string): Mutant {
  return {
    name: `hints once to whoever watches ${by} task`,
    killedBy: clause,
    silent: true,
    mutate: (store) => ({
      watch(id, wake) {
        let isTold = false;
        return store.watch(id, () => {
          if (isTold && (id === undefined) === (by === "any")) return;
          isTold = true;
          wake();
        });
      },
    }),
  };
}

/** Stores that are wrong about hints. */
export const watchMutants: readonly Mutant[] = [
  overlooks("commit", "one", "WATCH-1"),
  overlooks("signal", "one", "WATCH-1"),
  hintsOnce("one", "WATCH-1"),
  overlooks("createTask", "any", "WATCH-2"),
  overlooks("releaseLease", "any", "WATCH-2"),
  overlooks("signal", "any", "WATCH-2"),
  hintsOnce("any", "WATCH-2"),
  {
    name: "goes on hinting at a watcher that stopped",
    killedBy: "WATCH-3",
    mutate: (store) => ({
      watch(id, wake) {
        store.watch(id, wake);
        return () => {};
      },
    }),
  },
  {
    name: "hints only at what its own process did",
    killedBy: "WATCH-4",
    silent: true,
    mutate: (store) => hintsAt(store, (_, { id }, taskId) => (id ?? taskId) === taskId),
  },
];
