import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { HistoryEvent } from "@resumable-mcp/simulation/history";
import { built } from "../workers/run-isolated.js";

/** A commit that the store acknowledged to its writer. */
export interface Acknowledged {
  readonly taskId: string;
  /** The lease's epoch. */
  readonly epoch: number;
  readonly worker: string;
  readonly afterSeq: number;
  readonly lastSeq: number;
}

/** What a process reports, one JSON line each, written synchronously: all that it reported arrives, though it dies. */
export type LifeLine =
  | { readonly kind: "ready" }
  | { readonly kind: "noted"; readonly event: HistoryEvent }
  | ({ readonly kind: "acknowledged" } & Acknowledged)
  | { readonly kind: "error"; readonly code: string; readonly text: string }
  | { readonly kind: "dies"; readonly point: string };

/** One life of a process, from its start to its death. */
export interface Life {
  readonly name: string;
  /** Resolves when it is ready, and when it died before that. */
  readonly ready: Promise<void>;
  /** Resolves, when the process has ended and all its lines are read, to the point at which it killed itself. */
  readonly death: Promise<string | undefined>;
  /** Where it listens, as long as it was not killed. */
  readonly url: () => URL | undefined;
  /** Gives it a line of input. */
  send(line: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Lets it end by itself. */
  end(): void;
}

/** What starts a program of this package, without the program of Node. */
export function programWith(program: string, order: object): readonly string[] {
  return [fileURLToPath(built(program)), JSON.stringify(order)];
}

/**
 * Starts a script, and passes on what it reports. A server of the command line reports what its tools do, and is ready when it
 * says where it listens.
 */
export function beginLife(
  words: readonly string[],
  hear: (line: LifeLine) => void = () => {},
  environment: Readonly<Record<string, string>> = {},
): Life {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "pipe"], env });
  const ready = signalOnce();
  let port: number | undefined;
  let point: string | undefined;
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line: LifeLine = JSON.parse(text);
    if (line.kind === "dies") point = line.point;
    if (line.kind === "ready") ready.resolve();
    hear(line);
  });
  createInterface({ input: child.stderr }).on("line", (text) => {
    if (text.includes("Unhandled rejection")) hear({ kind: "error", code: "none", text });
    const listens = /^listening on http:.*:(\d+)\//.exec(text)?.[1];
    if (listens === undefined) return;
    port = Number(listens);
    ready.resolve();
  });
  const death = deathOf(child)
    .finally(() => {
      port = undefined;
      ready.resolve();
    })
    .then(() => point);
  // The caller that waits for the death receives the error; until then it may wait for the beginning.
  death.catch(() => {});
  // A line that is sent to a process that has just died is sent again to the next one.
  child.stdin.on("error", () => {});
  return {
    name: `p${child.pid}`,
    ready: ready.promise,
    death,
    url: () => (port === undefined ? undefined : new URL(`http://127.0.0.1:${port}/mcp`)),
    send: (line) => void child.stdin.write(`${line}\n`),
    kill(signal) {
      if (signal === "SIGKILL") port = undefined;
      child.kill(signal);
    },
    end: () => void child.stdin.end(),
  };
}

function signalOnce(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

/** An end that is neither a kill nor requested is a defect: an uncaught error, for instance. */
function deathOf(child: ChildProcess): Promise<void> {
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(-10_000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL" || code === 0) resolve();
      else reject(new Error(`${child.spawnargs[1]} ended with code ${code}:\n${complaint}`));
    });
  });
}
