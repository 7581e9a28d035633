import { createEngine, type EngineLimits, type EngineOptions, type Observer, type Store } from "@resumable-mcp/core";
import { type ServerDefinition, serveStdioEras } from "@resumable-mcp/mcp";
import { supervisorLimits } from "./limits.js";
import { readHostLine } from "./wire/host-line.js";
import { readLines } from "./wire/read-lines.js";

/** How a server is served over stdio. */
export interface ServeStdioOptions {
  readonly definition: ServerDefinition;
  readonly store: Store;
  readonly handoff?: boolean;
  readonly engineLimits?: Partial<EngineLimits>;
  /** How long running tasks may take to reach a checkpoint when the host has disconnected. Default 10 s. */
  readonly drainTimeoutMs?: number;
  readonly onError?: (error: unknown) => void;
  /** Hears what becomes of the unfinished tasks when the store is opened. */
  readonly onOpened?: NonNullable<EngineOptions["onOpened"]>;
  /** Hears of what happens at named points, for tracing and for fault injection. */
  readonly observer?: Observer;
}

/**
 * Serves tools to the host at the other end of stdin and stdout, in whichever era it speaks, until stdin ends.
 *
 * From here on nothing but messages goes to stdout: what tools print goes to stderr. The store is opened by the first
 * message that needs it. Source: MCP 2025-11-25 and 2026-07-28, Transports, "stdio".
 *
 * @returns a promise that resolves when the host has disconnected and everything is released.
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { definition, store, handoff, onError = () => {}, drainTimeoutMs = 10_000 } = options;
  const { engineLimits = {}, observer = () => {}, onOpened } = options;
  const { write, gone } = claimStdout();
  const engine = createEngine({
    store,
    tools: definition.tools,
    onError,
    observer,
    limits: engineLimits,
    ...(onOpened === undefined ? {} : { onOpened }),
  });
  const connection = serveStdioEras({
    definition,
    engine,
    write,
    onError,
    ...(handoff === undefined ? {} : { handoff }),
  });
  const read = readLines(process.stdin, supervisorLimits.maxLineBytes, async (line) => {
    const read = readHostLine(line);
    if ("message" in read) await connection.receive(read.message);
    else await write(read.refusal).catch(onError);
  });
  await Promise.race([read.catch(onError), stopSignal(), gone]);
  await engine.drain({ timeoutMs: drainTimeoutMs });
  await connection.close();
  await engine.close();
}

/**
 * Keeps stdout for messages: all other output to it goes to stderr. A host that closes its end has disconnected, which is
 * not an error (EPIPE).
 */
function claimStdout(): { readonly write: (message: object) => Promise<void>; readonly gone: Promise<void> } {
  const { stdout, stderr } = process;
  const gone = new Promise<void>((resolve) => {
    stdout.on("error", () => resolve());
    // What is printed for people must not end the process either.
    stderr.on("error", () => {});
  });
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    gone,
    write: (message) =>
      new Promise((resolve, reject) => {
        write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
      }),
  };
}

/** Resolves when the process gets a signal to stop. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve());
  });
}
