import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** What is served again and again. */
export interface ReloadOptions {
  /** The file of a program that listens over HTTP, and stops its tasks at a checkpoint on SIGTERM. */
  readonly program: string;
  readonly args: readonly string[];
  readonly say: (text: string) => void;
  /** Called when the first server listens. */
  readonly onFirst: (port: number) => Promise<void>;
}

/** A server that is replaced by its next one. */
export interface Reloads {
  /** Starts the next server on the same port; when it listens, the present one drains. Not more than one at a time. */
  reload(file: string): void;
  /** Drains the present server, and ends. */
  stop(): Promise<void>;
}

/** The server itself gives its tasks 10 s, and then ends. */
const drainLimitMs = 30_000;
/** Between the end of a server that fell and the start of the next. */
const restartPauseMs = 500;

/**
 * Keeps one server running on one port.
 *
 * This process owns the listening socket and hands its connections to the servers (`node:cluster`): the next one listens before the
 * present one stops, so no connection is refused while the code changes. Tasks pass from the one to the other by their store.
 */
export function startReloads({ program, args, say, onFirst }: ReloadOptions): Reloads {
  cluster.setupPrimary({ exec: program, args: [...args], silent: false });
  let present: Worker | undefined;
  let work = Promise.resolve();
  let changed: string | undefined;
  let isStopping = false;
  let isFirst = true;

  const startNext = async (): Promise<boolean> => {
    const next = cluster.fork();
    const port = await portOf(next);
    if (port === undefined) return false;
    const old = present;
    present = next;
    next.once("exit", (code, signal) => {
      if (present === next) present = undefined;
      if (isStopping || next.exitedAfterDisconnect) return;
      say(`The server ended (${signal ?? code}), and is started again.`);
      enqueue(async () => {
        await pause(restartPauseMs);
        await begin();
      });
    });
    if (old !== undefined) await drain(old);
    if (isFirst) await onFirst(port);
    isFirst = false;
    return true;
  };
  const begin = async (): Promise<void> => {
    if (isStopping || present !== undefined) return;
    if (!(await startNext())) say("No server runs. It is started again when a file changes.");
  };
  const enqueue = (step: () => Promise<void>): void => {
    work = work.then(step).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  };

  enqueue(begin);
  return {
    reload(file) {
      if (changed !== undefined || isStopping) return;
      changed = file;
      enqueue(async () => {
        changed = undefined;
        if (isStopping) return;
        if (present === undefined) return begin();
        const isServed = await startNext();
        say(isServed ? `${file} changed: reloaded.` : `${file} changed: the code of before continues to serve.`);
      });
    },
    async stop() {
      isStopping = true;
      await Promise.all(Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [drain(worker)] : [])));
    },
  };
}

/** Resolves when a server listens; `undefined` when it ends before. */
async function portOf(worker: Worker): Promise<number | undefined> {
  const stop = new AbortController();
  const { signal } = stop;
  const listening = once(worker, "listening", { signal }).then(([address]: { port: number }[]) => address?.port);
  const ended = once(worker, "exit", { signal }).then(() => undefined);
  const port = await Promise.race([listening, ended]);
  stop.abort();
  await Promise.allSettled([listening, ended]);
  return port;
}

/** Gives a server no more connections, and lets its tasks stop at a checkpoint. */
async function drain(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, "exit");
  worker.disconnect();
  worker.process.kill("SIGTERM");
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), drainLimitMs);
  await ended;
  clearTimeout(timer);
}
