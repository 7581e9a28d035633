import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The program that users start. */
export const program = join(
  dirname(createRequire(import.meta.url).resolve("resumable-mcp/package.json")),
  "dist",
  "cli.js",
);

/** How a server is started. */
export interface PanelServerOptions {
  /** A module of `e2e/tools`. */
  readonly tools?: string;
  /** Further flags of `resumable-mcp serve http`; a function where they name the server's own address. */
  readonly flags?: readonly string[] | ((origin: string) => Promise<readonly string[]>);
  /** Variables of its options. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server program that can be killed and started again on the same store and port. */
export interface PanelServer {
  /** The address of the endpoint; the same after a restart. */
  readonly url: string;
  readonly origin: string;
  /** For files of the test's own. */
  readonly folder: string;
  /** SIGKILL; resolves when the process is dead. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it listens. */
  start(): Promise<void>;
  /** Kills it and removes its folder. */
  remove(): Promise<void>;
}

/** Starts `resumable-mcp serve http` as users do. The system gives it a port, which it keeps. */
export async function startPanelServer({
  tools = "panel",
  flags = [],
  env,
}: PanelServerOptions = {}): Promise<PanelServer> {
  const folder = await mkdtemp(join(tmpdir(), "panel-"));
  const module = fileURLToPath(new URL(`../../tools/${tools}-tools-module.js`, import.meta.url));
  const launch = async (port: string): Promise<Launched> => {
    const given = typeof flags === "function" ? await flags(`http://127.0.0.1:${port}`) : flags;
    const args = ["serve", "http", module, "--port", port, "--store", join(folder, "store"), ...given];
    return waitUntilReady(
      spawn(process.execPath, [program, ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      }),
    );
  };
  let { child, url } = await launch(typeof flags === "function" ? await freePort() : "0");
  const { origin, port } = new URL(url);
  return {
    url,
    origin,
    folder,
    kill: () => end(child),
    start: async () => {
      ({ child, url } = await launch(port));
    },
    remove: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
    },
  };
}

/** A port that is free now: for a server whose flags name its own address. */
async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

interface Launched {
  readonly child: ChildProcess;
  readonly url: string;
}

async function waitUntilReady(child: ChildProcess): Promise<Launched> {
  const written: string[] = [];
  if (child.stderr === null) throw new Error("The server's standard error is not read.");
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    written.push(line);
    const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return { child, url };
  }
  throw new Error(`The server ended without a ready line: ${written.join("\n")}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
