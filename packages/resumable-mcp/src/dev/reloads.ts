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
  readonly onFirst: (port: number) => void;
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
/** A change of the code ends a start that takes longer: what it loads may never come to an end. */
const startPatienceMs = 5_000;

/**
 * Keeps one server running on one port.
 *
 * This process owns the listening socket and hands its connections to the servers (`node:cluster`): the next one listens before the
 * present one stops, so no connection is refused while the code changes. Tasks pass from the one to the other by their store.
 * A server that fell is followed by one on the same port.
 */
export function startReloads({ program, args, say, onFirst }: ReloadOptions): Reloads {
  cluster.setupPrimary({ exec: program, args: [...args], silent: false });
  let present: Worker | undefined;
  let starting: { readonly worker: Worker; readonly sinceMs: number } | undefined;
  let port: number | undefined;
  let work = Promise.resolve();
  let changed: string | undefined;
  let isStopping = false;

  const startNext = async (): Promise<boolean> => {
    const next = cluster.fork();
    starting = { worker: next, sinceMs: performance.now() };
    const listensAt = await portOf(next);
    starting = undefined;
    if (listensAt === undefined) return false;
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
    if (port === undefined) onFirst(listensAt);
    port = listensAt;
    return true;
  };
  const begin = async (): Promise<void> => {
    if (isStopping || present !== undefined) return;
    // Between two servers nothing holds the socket: where any port was asked for, it is asked for by its number now.
    if (port !== undefined) cluster.setupPrimary({ args: [...args, "--port", String(port)] });
    if (!(await startNext())) say("No server runs. It is started again when a file changes.");
  };
  const enqueue = (step: () => Promise<void>): void => {
    work = work.then(step).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  };
  const endStart = (): void => {
    if (starting === undefined) return;
    const { worker, sinceMs } = starting;
    const end = () => void (starting?.worker === worker && worker.process.kill("SIGKILL"));
    setTimeout(end, sinceMs + startPatienceMs - performance.now()).unref();
  };

  enqueue(begin);
  return {
    reload(file) {
      if (changed !== undefined || isStopping) return;
      changed = file;
      endStart();
      enqueue(async () => {
        changed = undefined;
        if (isStopping) return;
        if (present === undefined) return begin();
        const isServed = await startNext();
        say(isServed ? `${file} changed: reloaded.` : `${file} changed: the previous code continues to serve.`);
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

const drains = new WeakMap<Worker, Promise<void>>();

/** Gives a server no more connections, and lets its tasks stop at a checkpoint; it is asked once. */
function drain(worker: Worker): Promise<void> {
  const drained = drains.get(worker) ?? drainOnce(worker);
  drains.set(worker, drained);
  return drained;
}

async function drainOnce(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, "exit");
  worker.disconnect();
  worker.process.kill("SIGTERM");
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), drainLimitMs);
  await ended;
  clearTimeout(timer);
}
