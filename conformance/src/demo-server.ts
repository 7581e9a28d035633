import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoPrograms } from "./demo-programs.js";
import { type SpawnedServer, spawnListening } from "./spawn-server.js";

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

/** Starts the demo's server. */
export async function startDemoServer(): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), "demonstration-"));
  const launch = (port: string): Promise<SpawnedServer> =>
    spawnListening([demoPrograms.server, demoPrograms.tools, ...["--port", port, "--store", join(folder, "store")]]);
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
