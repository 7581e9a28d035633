import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findScript, type Program, startProgram } from "./program.js";

const startTimeoutMs = 20_000;
const readyLine = /listening on (http:\/\/\S+)\s/;

/** A server of the demo's tools. */
export interface DemoServer extends Program {
  readonly url: string;
  readonly port: number;
}

/** How a server is started. */
export interface DemoServerOptions {
  /** The folder of the demo's built programs. */
  readonly built: URL;
  readonly store: string;
  /** 0 takes a free one. After a kill, the same again lets clients find it. */
  readonly port: number;
  /** Further flags of the server's command line. */
  readonly flags?: readonly string[];
}

/** Starts the HTTP server with the demo's tools, as a user would, and waits until it listens. */
export async function startDemoServer({ built, store, port, flags = [] }: DemoServerOptions): Promise<DemoServer> {
  const tools = fileURLToPath(new URL("tools.js", built));
  const script = findScript("@resumable-mcp/server-http", "resumable-mcp-http");
  const program = await startProgram(built, script, [tools, "--port", String(port), "--store", store, ...flags]);
  program.stdout.resume();
  const tooLate = delay(startTimeoutMs, undefined, { ref: false });
  const url = await Promise.race([program.waitFor(readyLine), tooLate]);
  if (url !== undefined) return { ...program, url, port: Number(new URL(url).port) };
  await program.end("SIGKILL");
  throw new Error(`The server did not start: ${program.complaint() || "it said nothing."}`);
}

/** A server that can be killed and started again on the same port and store. */
export interface RestartableServer {
  readonly url: string;
  /** The process behind the address; `undefined` while there is none. */
  readonly pid: number | undefined;
  /** Ends the process with `SIGKILL`. Does nothing while none runs. */
  kill(): Promise<void>;
  /** Does nothing while one runs. */
  start(): Promise<void>;
  /** Ends the process in the orderly way. */
  stop(): Promise<void>;
}

/** Hears of processes that come and go. */
export interface ServerListener {
  started(server: DemoServer): void;
  killing(pid: number): void;
}

/** How the server is started. */
export interface RestartableServerOptions extends Omit<DemoServerOptions, "port"> {
  /** Taken where it is free. */
  readonly preferredPort?: number;
}

/** Starts a server, which keeps the port that it got. */
export async function startRestartableServer(
  { preferredPort = 0, ...options }: RestartableServerOptions,
  listener?: ServerListener,
): Promise<RestartableServer> {
  const launch = async (port: number): Promise<DemoServer> => {
    const server = await startDemoServer({ ...options, port });
    listener?.started(server);
    return server;
  };
  const { url, port, ...first } = await launch(preferredPort).catch((error: unknown) => {
    if (preferredPort === 0) throw error;
    return launch(0);
  });
  let current: Pick<DemoServer, "pid" | "end"> | undefined = first;
  /** One change at a time: a kill during a start ends what was started. */
  let changing = Promise.resolve();
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const changed = changing.then(change);
    changing = changed.catch(() => undefined);
    return changed;
  };
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    const server = current;
    current = undefined;
    if (server !== undefined && signal === "SIGKILL") listener?.killing(server.pid);
    await server?.end(signal);
  };
  return {
    url,
    get pid() {
      return current?.pid;
    },
    kill: () => inTurn(() => end("SIGKILL")),
    start: () =>
      inTurn(async () => {
        current ??= await launch(port);
      }),
    stop: () => inTurn(() => end("SIGTERM")),
  };
}
