import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { start } from "../program.js";
import { Journals } from "./journals.js";

const require = createRequire(import.meta.url);
const serverHttp = dirname(require.resolve("@resumable-mcp/server-http/package.json"));
/** What is built of this package; a bundle does not know in which of its files it is. */
const built = join(serverHttp, "../../conformance/dist");
const holdStart = pathToFileURL(join(built, "clients/hold-start.js")).href;
/** The modules whose tools a server can have. */
export const toolsModules = {
  clients: join(built, "clients/tools-module.js"),
  hosts: join(built, "hosts/tools-module.js"),
};
/** A server that is not ours. */
export const foreignServer = join(built, "hosts/foreign-server.js");
/** The programs of the servers. */
export const programs = {
  http: join(serverHttp, "dist/cli.js"),
  stdio: join(dirname(require.resolve("@resumable-mcp/server-stdio/package.json")), "dist/cli.cjs"),
  all: join(dirname(require.resolve("resumable-mcp/package.json")), "dist/cli.js"),
};

/** Where a client finds the server. */
export type Place =
  | { readonly over: "HTTP"; readonly url: URL; readonly token: string }
  | { readonly over: "stdio"; readonly command: string; readonly args: readonly string[] };

/** A transport that clients can use. */
export type Over = Place["over"];

/**
 * One store, and the server on it: over HTTP one process for all clients, over stdio one for each, behind our
 * supervisor.
 */
export interface ServerUnderTest {
  readonly over: Over;
  readonly place: Place;
  readonly journals: Journals;
  /** Resolves when the next kill need not wait for anything. */
  ready(): Promise<void>;
  /**
   * SIGKILL for the process that runs a task; resolves when a server can be reached again, over stdio when the
   * supervisor has to see to that.
   *
   * @param meanwhile is waited for while no server runs; over stdio the supervisor does not wait.
   */
  kill(pid: number, meanwhile?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** For rows in which the server is away for a moment only: clients come back at once, not after the server's default. */
export const quickReturn = { RESUMABLE_MCP_RETRY: "1s" };

/**
 * Starts the server over HTTP, or says how clients start it over stdio.
 *
 * @param env variables of the HTTP server.
 * @param served the tools module, and what else both programs are given.
 */
export async function startServer(
  over: Over,
  env: Readonly<Record<string, string>> = quickReturn,
  served: readonly string[] = [toolsModules.clients],
): Promise<ServerUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
  const store = join(folder, "store");
  const journals = new Journals(store);
  const removeAll = async () => {
    await journals.close();
    await rm(folder, { recursive: true, force: true });
  };
  if (over === "stdio") {
    const args = [programs.stdio, ...served, "--store", store];
    const kill = async (pid: number, meanwhile = nothing) => {
      process.kill(pid, "SIGKILL");
      await meanwhile();
    };
    return { over, place: { over, command: process.execPath, args }, journals, ready: nothing, kill, close: removeAll };
  }
  const token = "a-token-of-one-owner-for-all-clients";
  await writeFile(join(folder, "tokens"), `${token} owner\n`, { mode: 0o600 });
  const args = [programs.http, ...served, "--store", store, "--token-file", join(folder, "tokens")];
  let server = prepare(args, env, "0");
  const url = await server.listen().catch(async (error: unknown) => {
    await server.program.stop();
    await removeAll();
    throw error;
  });
  let next = prepare(args, env, url.port);
  return {
    over,
    place: { over, url, token },
    journals,
    async ready() {
      await next.ready;
    },
    async kill(pid, meanwhile = nothing) {
      if (pid !== server.program.child.pid)
        throw new Error(`The task runs in process ${pid}, which is not the server.`);
      await next.ready;
      await server.program.stop();
      await meanwhile();
      await next.listen();
      server = next;
      next = prepare(args, env, url.port);
    },
    async close() {
      await Promise.all([server.program.stop(), next.program.stop()]);
      await removeAll();
    },
  };
}

const nothing = async (): Promise<void> => {};

/** Starts a server over HTTP that has loaded its code when it is ready, and listens after `listen`. */
function prepare(args: readonly string[], env: Readonly<Record<string, string>>, port: string) {
  const program = start(process.execPath, ["--import", holdStart, ...args, "--port", port], {
    input: true,
    env: { ...process.env, ...env },
  });
  const ready = program.seen(/^ready to begin$/m);
  // The caller of `ready` meets the failure; to stop a server before is not one.
  ready.catch(() => {});
  return {
    program,
    ready,
    async listen(): Promise<URL> {
      await ready;
      program.child.stdin?.write("begin\n");
      const [, url = ""] = await program.seen(/^listening on (\S+)$/m);
      return new URL(url);
    },
  };
}
