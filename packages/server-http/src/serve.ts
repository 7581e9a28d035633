import { listen } from "@resumable-mcp/command-line";
import type { Engine } from "@resumable-mcp/core";
import type { LeftTasks, RecoveryCounts } from "@resumable-mcp/core/engine";
import { toListener } from "@resumable-mcp/mcp/internal";
import { type HttpHandlerOptions, openHandler } from "./create-http-handler.js";
import { checkExposure, toTrustedProxies } from "./exposure.js";
import { closeHttp, createHttpServer, readAddress } from "./http-server.js";
import { ownerSentence } from "./locality.js";

/** How a server is served over HTTP. */
export interface ServeOptions extends HttpHandlerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 8001; 0 takes any free port. */
  readonly port?: number;
  /** A listening socket that a parent owns, in place of host and port: no connection is refused while this restarts. */
  readonly fd?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly engine: Engine;
  /** Whose tasks a call reaches, in one line for people. */
  readonly owner: string;
  /** What became of the unfinished tasks when the server started. */
  readonly recovery: RecoveryCounts;
  /** Lets tasks stop at their next checkpoint, ends all streams so that clients come back later, and closes. */
  close(): Promise<void>;
  /** The same for a process that is about to die of some tasks: these keep their leases. The process has to end then. */
  release(leave: LeftTasks): Promise<void>;
}

/**
 * Serves tools over HTTP. Calls in flight survive the death of the process: a new process on the same store and port
 * continues them.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Transports, "Streamable HTTP".
 * @throws {@link CommandError} when the port is taken, or the address would be open to everybody.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = "127.0.0.1", path = "/mcp", verifyToken, publicUrl, ownerMode = "auto", allowedHosts = [] } = options;
  // Asked for once: each request is judged by it.
  let boundAddress: string | undefined;
  let ownUrl: string | undefined;
  const { engine, entry, limits, recovery, abandon, ...opened } = await openHandler(options, () => ({
    boundAddress,
    url: ownUrl,
  }));
  const http = createHttpServer(limits, toTrustedProxies(options), toListener(entry));
  const release = (leave: LeftTasks) => opened.release(leave).then(() => closeHttp(http, limits));
  http.once("listening", () => {
    boundAddress = readAddress(http);
  });
  const port = await listen(http, { host, port: options.port ?? 8001, fd: options.fd }).catch(abandon);
  try {
    // A socket that a parent owns may listen elsewhere than `host` says.
    checkExposure({ ...options, host: boundAddress ?? host });
  } catch (error) {
    await closeHttp(http, limits);
    return abandon(error);
  }
  const close = () => release([]).then(() => engine.close());
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
  ownUrl = url;
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const owner = ownerSentence(ownerMode, {
    tokens: verifyToken !== undefined,
    boundAddress,
    allowedHosts: [...allowedHosts, ...publicHost],
    publicUrl,
  });
  return { owner, url, engine, recovery, close, release };
}
