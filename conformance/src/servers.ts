import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Program, start } from "./program.js";

/** A server in a process of its own. */
export interface SpawnedServer {
  readonly url: string;
  /** Ends it in the given way; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the built server and waits until it listens. */
export function spawnServer(...args: readonly string[]): Promise<SpawnedServer> {
  const script = fileURLToPath(new URL("../dist/server.js", import.meta.url));
  return listening(start(process.execPath, [script, ...args]));
}

/** Waits until a program says that it listens. */
async function listening(program: Program): Promise<SpawnedServer> {
  const [, url = ""] = await program.seen(/^listening on (\S+)\n/m);
  return { url, stop: (signal = "SIGTERM") => program.stop(signal) };
}

/** The demo's server on a store of its own, started as its readers start it. */
export interface DemoServer {
  readonly url: string;
  /** An empty folder for what belongs to the demonstration. */
  readonly folder: string;
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port and store. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the demo's server, by default with the demo's tools. */
export function startDemoServer(
  tools: string = demoPrograms.tools,
  env: Readonly<Record<string, string>> = {},
): Promise<DemoServer> {
  const options = { env: { ...process.env, ...env } };
  return startOnStore((where) => start(process.execPath, [demoPrograms.server, tools, ...where], options));
}

/** Starts a server on a store of its own. @param run starts it with the flags that say where it listens and keeps its tasks. */
export async function startOnStore(run: (where: readonly string[]) => Program): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), "demonstration-"));
  const launch = (port: string): Promise<SpawnedServer> =>
    listening(run(["--port", port, "--store", join(folder, "store")]));
  let server = await launch("0");
  const { url } = server;
  return {
    url,
    folder,
    kill: () => server.stop("SIGKILL"),
    async start() {
      server = await launch(new URL(url).port);
    },
    async close() {
      await server.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));
const demo = folderOf("@resumable-mcp/demo");

/** Where the programs and files of the demonstrations are. */
export const demoPrograms = {
  server: join(folderOf("@resumable-mcp/server-http"), "dist/cli.js"),
  tools: join(demo, "dist/tools.js"),
  seedClient: join(demo, "../../conformance/dist/seed/seed-client.js"),
  collection: join(demo, "postman/resumable-mcp.postman_collection.json"),
  environment: join(demo, "postman/resumable-mcp.postman_environment.json"),
  newman: require.resolve("newman/bin/newman.js"),
};
