import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KillPlan } from "./kill-plan.js";

/** The order for a storm server. */
export interface ServerOrder {
  readonly directory: string;
  /** 0 for any. */
  readonly port: number;
  /** Kill yourself there. */
  readonly point?: { readonly name: string; readonly hits: number };
  readonly leaseTtlMs: number;
  /** Serves the tools of the storm with waiting tasks, with the limits of every engine. */
  readonly waiting?: boolean;
}

/** One life of a server, from its start to its death. */
export interface ServerLife {
  readonly port: number;
  readonly process: ChildProcess;
  /** Resolves when the process has ended, to the place at which it killed itself, if it did. */
  readonly death: Promise<string | undefined>;
  /** What it wrote on its standard error. */
  readonly lines: readonly string[];
  kill(signal: NodeJS.Signals): void;
}

/** Next to the bundle that contains this file; tests name the built one. */
const builtServer = new URL("storm/storm-server.js", import.meta.url);
const maxLines = 10_000;

/** Starts a server and waits until it listens, or until it died before it could. */
export async function beginLife(
  order: ServerOrder,
  script: URL = builtServer,
): Promise<ServerLife | { readonly diedAt: string | undefined }> {
  const child = spawn(process.execPath, [fileURLToPath(script), JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  let place: string | undefined;
  let listening: (port: number) => void = () => {};
  const ready = new Promise<number>((resolve) => {
    listening = resolve;
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (lines.length < maxLines) lines.push(line);
    const listens = /listening on http:\/\/[^:]+:(\d+)/.exec(line);
    if (listens) listening(Number(listens[1]));
    place = /^dies at (\S+)/.exec(line)?.[1] ?? place;
  });
  const death = new Promise<string | undefined>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL" || code === 0) resolve(place);
      else reject(new Error(`A storm server ended with code ${code}:\n${lines.join("\n")}`));
    });
  });
  const first = await Promise.race([ready, death.then((diedAt) => ({ diedAt }))]);
  if (typeof first !== "number") return first;
  return { port: first, process: child, death, lines, kill: (signal) => child.kill(signal) };
}

/** Starts a server whose life ends as planned, and resolves to the place of its death. */
export async function liveUntilKilled(
  order: Omit<ServerOrder, "point">,
  plan: KillPlan,
  patienceMs: number,
  onReady: (life: ServerLife) => void,
): Promise<string> {
  const point = plan.kind === "point" ? { point: { name: plan.point, hits: plan.hits } } : {};
  const life = await beginLife({ ...order, ...point });
  if ("diedAt" in life) return life.diedAt ?? "start";
  onReady(life);
  // A point that is not passed in this life ends it at a moment instead.
  const afterMs = plan.kind === "moment" ? plan.afterMs : patienceMs;
  const timer = setTimeout(() => life.kill("SIGKILL"), afterMs);
  const place = await life.death;
  clearTimeout(timer);
  return place ?? "a random moment";
}
