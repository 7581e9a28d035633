import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ErrorCode, ResumableError, type Store } from "@resumable-mcp/core";
import { contractVersion, storeErrors } from "@resumable-mcp/core/store";
import type { StoreHarness } from "@resumable-mcp/store-testkit";
import type { PostgresStoreOptions } from "../src/create-postgres-store.js";
import { newSchema, runSql } from "./stores.js";

type Reply =
  | { readonly call: number; readonly result?: unknown; readonly error?: RemoteError }
  | { readonly woken: number };

interface RemoteError {
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: never;
}

/** A store in a process of its own, and the calls that it has not answered. */
class RemoteStore {
  readonly options: PostgresStoreOptions;
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, (reply: { result?: unknown; error?: RemoteError }) => void>();
  readonly #watches = new Map<number, () => void>();
  #last = 0;
  #isClosed = false;

  constructor(options: PostgresStoreOptions) {
    this.options = options;
    // Infinity is not JSON: the greatest time says the same.
    const text = JSON.stringify(options, (_, value) => (value === Number.POSITIVE_INFINITY ? 2 ** 53 : value));
    const program = join(import.meta.dirname, "store-process.js");
    this.#child = fork(program, [text], { serialization: "advanced", execArgv: [] });
    this.#child.on("exit", () => {
      const error = { message: "The process of the store has ended." };
      for (const reply of this.#calls.values()) reply({ error });
    });
    this.#child.on("message", (reply: Reply) => {
      if ("woken" in reply) this.#watches.get(reply.woken)?.();
      else this.#calls.get(reply.call)?.(reply);
    });
  }

  call<Parameters extends readonly unknown[], Result>(method: string) {
    return (...parameters: Parameters): Promise<Result> => {
      this.#last += 1;
      const call = this.#last;
      this.#child.send({ call, method, parameters });
      return new Promise((resolve, reject) => {
        this.#calls.set(call, ({ result, error }) => {
          this.#calls.delete(call);
          // The process sends what the store's method gave.
          if (error === undefined) resolve(result as Result);
          else reject(errorOf(error));
        });
      });
    };
  }

  watch(id: string | undefined, wake: () => void): () => void {
    if (this.#isClosed) throw storeErrors.storeClosed();
    this.#last += 1;
    const watch = this.#last;
    this.#watches.set(watch, wake);
    this.#child.send({ watch, id });
    return () => {
      if (this.#watches.delete(watch) && this.#child.connected) this.#child.send({ unwatch: watch });
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#child.connected) await this.call("close")();
  }

  /** Stops the process as `SIGSTOP` does, and resolves when it stands still. Linux only, as these tests are. */
  async freeze(): Promise<void> {
    this.#child.kill("SIGSTOP");
    const stat = () => readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    while (!/\) T /.test(stat())) await nextTurn();
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** Ends the process as `SIGKILL` does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function errorOf({ message, code, details }: RemoteError): Error {
  return code === undefined || details === undefined
    ? new Error(message)
    : new ResumableError(code, message, { details });
}

function storeIn(remote: RemoteStore): Store {
  return {
    contractVersion,
    capabilities: { durability: "machine", shared: true },
    open: remote.call("open"),
    createTask: remote.call("createTask"),
    getTask: remote.call("getTask"),
    listTasks: remote.call("listTasks"),
    listExpired: remote.call("listExpired"),
    countTasks: remote.call("countTasks"),
    listRunnable: remote.call("listRunnable"),
    acquireLease: remote.call("acquireLease"),
    heartbeat: remote.call("heartbeat"),
    listOffers: remote.call("listOffers"),
    releaseLease: remote.call("releaseLease"),
    commit: remote.call("commit"),
    readEvents: remote.call("readEvents"),
    readItems: remote.call("readItems"),
    putChunk: remote.call("putChunk"),
    readChunk: remote.call("readChunk"),
    signal: remote.call("signal"),
    watch: (id, wake) => remote.watch(id, wake),
    deleteTask: remote.call("deleteTask"),
    getDocument: remote.call("getDocument"),
    putDocument: remote.call("putDocument"),
    deleteDocument: remote.call("deleteDocument"),
    listIdleDocuments: remote.call("listIdleDocuments"),
    checkHealth: remote.call("checkHealth"),
    close: () => remote.close(),
  };
}

/** Starts a process with a store. */
export function startStoreProcess(options: PostgresStoreOptions) {
  const remote = new RemoteStore(options);
  return {
    store: storeIn(remote),
    freeze: () => remote.freeze(),
    thaw: () => remote.thaw(),
    kill: () => remote.kill(),
  };
}

/** Stores that are each in a process of its own, which `reopen` kills. */
export function remoteHarness(): StoreHarness {
  const remotes = new Map<Store, RemoteStore>();
  const open = (options: PostgresStoreOptions): Store => {
    const remote = new RemoteStore(options);
    const store = storeIn(remote);
    remotes.set(store, remote);
    return store;
  };
  const another = async (store: Store) => open(remotes.get(store)?.options ?? newSchema());
  return {
    open: async () => open(newSchema()),
    second: another,
    // Nothing but heartbeats passes between the two.
    async far(store) {
      const { limits, ...options } = remotes.get(store)?.options ?? newSchema();
      return open({ ...options, limits: { ...limits, deathNoticeMs: Number.POSITIVE_INFINITY } });
    },
    async reopen(store) {
      await remotes.get(store)?.kill();
      return another(store);
    },
    async dispose() {
      const schemas = new Set([...remotes.values()].map(({ options }) => options.schema));
      await Promise.all([...remotes.values()].map((remote) => remote.kill()));
      remotes.clear();
      for (const schema of schemas) await runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}
