import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The order for a worker of the crash harness. */
export interface WorkerOrder {
  readonly directory: string;
  readonly durability: "machine" | "process";
  readonly leaseTtlMs: number;
  /** Compaction removes the old files of a journal, and with them a part of the proof. */
  readonly compact: boolean;
  /** Kill yourself there. */
  readonly point?: { readonly name: string; readonly hits: number };
}

/** A commit that the store acknowledged to its writer. */
export interface Acknowledged {
  readonly taskId: string;
  /** The lease's epoch. */
  readonly epoch: number;
  readonly worker: string;
  readonly afterSeq: number;
  readonly lastSeq: number;
}

/** What a worker reports, one JSON line each, written synchronously: all that it reported arrives, though it dies. */
export type WorkerLine =
  | { readonly kind: "ready" }
  /** Its first attempt begins. */
  | { readonly kind: "working" }
  | { readonly kind: "started"; readonly run: string; readonly taskId: string }
  | ({ readonly kind: "acknowledged" } & Acknowledged)
  | { readonly kind: "error"; readonly code: string; readonly text: string }
  | { readonly kind: "dies"; readonly point: string };

/** One life of a worker, from its start to its death. */
export interface WorkerLife {
  readonly ready: Promise<boolean>;
  /** Resolves, when the process has ended and all its lines are read, to the point at which it killed itself. */
  readonly death: Promise<string | undefined>;
  readonly hasWorked: () => boolean;
  /** Resolves when its first attempt begins, or when it died before that. */
  readonly working: Promise<void>;
  /** Asks it to start a run. */
  start(run: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Lets it end by itself. */
  end(): void;
}

const script = fileURLToPath(new URL("crashes/crash-worker.js", import.meta.url));

/** Starts a worker, and passes on what it reports. */
export function beginWorker(order: WorkerOrder, hear: (line: WorkerLine) => void): WorkerLife {
  const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ["pipe", "pipe", "pipe"] });
  let worked = false;
  let point: string | undefined;
  let becomeReady: (ready: boolean) => void = () => {};
  const ready = new Promise<boolean>((resolve) => {
    becomeReady = resolve;
  });
  let beginWork: () => void = () => {};
  const working = new Promise<void>((resolve) => {
    beginWork = resolve;
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line: WorkerLine = JSON.parse(text);
    if (line.kind === "ready") becomeReady(true);
    if (line.kind === "working") {
      worked = true;
      beginWork();
    }
    if (line.kind === "dies") point = line.point;
    hear(line);
  });
  const death = deathOf(child)
    .finally(() => {
      becomeReady(false);
      beginWork();
    })
    .then(() => point);
  // The caller that waits for the death receives the error; until then it may wait for the beginning.
  death.catch(() => {});
  // A run that is sent to a worker that has just died is sent again to the next one.
  child.stdin.on("error", () => {});
  return {
    ready,
    death,
    hasWorked: () => worked,
    working,
    start: (run) => void child.stdin.write(`${run}\n`),
    kill: (signal) => void child.kill(signal),
    end: () => void child.stdin.end(),
  };
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
      else reject(new Error(`A worker ended with code ${code}:\n${complaint}`));
    });
  });
}
