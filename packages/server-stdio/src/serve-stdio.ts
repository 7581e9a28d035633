import { type Readable, Writable } from "node:stream";
import type { Store } from "@resumable-mcp/core";
import type { ServerDefinition } from "@resumable-mcp/mcp";
import { createServerEngine } from "@resumable-mcp/mcp/command-line";
import { connectStdio, createMcpServer } from "@resumable-mcp/mcp/legacy";

/** How a server is served over stdio. */
export interface ServeStdioOptions {
  readonly definition: ServerDefinition;
  readonly store: Store;
  readonly recover?: "attached" | "all";
  readonly handoff?: boolean;
  /** How long running tasks may take to reach a checkpoint when the host is gone. Default 10 s. */
  readonly drainTimeoutMs?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Serves tools to the host at the other end of stdin and stdout, until stdin ends.
 *
 * From here on nothing but messages goes to stdout: what tools print goes to stderr. The store is opened by the first
 * message. Source: MCP 2025-11-25, Transports, "stdio".
 *
 * @returns a promise that resolves when the host is gone and everything is released.
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { definition, store, recover = "attached", handoff, onError = () => {}, drainTimeoutMs = 10_000 } = options;
  const output = claimStdout();
  const engine = await createServerEngine(definition, { store, recover, onError });
  const attach = { onError, ...(handoff === undefined ? {} : { handoff }) };
  const server = await createMcpServer(definition, engine, attach);
  const ended = endOf(process.stdin);
  await connectStdio(server, { input: process.stdin, output });
  process.stdin.once("data", () => void engine.open().catch(onError));
  await ended;
  await engine.drain({ timeoutMs: drainTimeoutMs });
  await server.close();
  await engine.close();
}

/** Keeps stdout for messages: whoever else writes to it writes to stderr. */
function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk, () => done());
    },
  });
}

/** Resolves when the host is gone: its end of the pipe is closed, or we are told to stop. */
function endOf(input: Readable): Promise<void> {
  return new Promise((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}
