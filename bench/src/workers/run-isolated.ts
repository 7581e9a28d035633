import { fork } from "node:child_process";
import type { Outcome } from "../report/measure.js";

/** Threads of each measured process that may sync at once: the default of Node. */
export const threadPoolSize = 4;

/** What takes longer hangs: it is ended and its row says so, in milliseconds. */
const measureTimeoutMs = 600_000;

/** Runs a measure in a process of its own, so that none inherits another's heap or files. */
export function runIsolated(id: string): Promise<Outcome> {
  return inProcess<Outcome>("workers/measure-worker.js", [id]);
}

/**
 * What the machine may set and what would count as start of every process: Node 20 parses the certificates of
 * `NODE_EXTRA_CA_CERTS` before it runs anything.
 */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, ...environment } = process.env;
  return { ...environment, UV_THREADPOOL_SIZE: String(threadPoolSize) };
}

/** What a process does with a store, and measures in it. */
export type StoreJob =
  | "open"
  | "resume"
  | "memory-of-stored"
  | "memory-of-finished"
  | "start"
  | "idle"
  | "list"
  | "count";

/** The tasks that a process runs before its memory is measured. */
export interface MemoryOrder {
  readonly finished: number;
  readonly eventsEach: number;
}

/** Lets a process of its own do something with a store, and resolves to its figure. */
export function doWithStore(job: StoreJob, argument: string): Promise<number> {
  return inProcess<number>("workers/store-worker.js", [job, argument]);
}

/** Runs one of this package's programs and resolves to the message that it sends. */
function inProcess<Message>(program: string, args: readonly string[]): Promise<Message> {
  return new Promise((resolve, reject) => {
    const child = fork(built(program), [...args], {
      execArgv: ["--expose-gc", "--no-deprecation"],
      stdio: "inherit",
      env: plainEnvironment(),
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), measureTimeoutMs);
    let answer: { readonly message: Message } | undefined;
    child.on("message", (message) => {
      // Both ends are this package's own.
      answer = { message: message as Message };
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(timer);
      if (code === 0 && answer !== undefined) resolve(answer.message);
      else reject(new Error(`${program} ${args.join(" ")} ended with code ${code} and no figure.`));
    });
  });
}

/** The address of a built program of this package: the same for the built code and for tests, which run the source. */
export function built(program: string): URL {
  return new URL(program, import.meta.url.replace(/^(.*)\/(?:src|dist)\/.*$/, "$1/dist/"));
}
