import type { Readable, Writable } from "node:stream";
import type { ConnectableServer } from "./session/live-session.js";

/**
 * Connects a server to a client over two streams, one message a line.
 *
 * The SDK is loaded here. Source: MCP 2025-11-25, Transports, "stdio".
 */
export async function connectStdio(
  server: ConnectableServer,
  streams: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  await server.connect(new StdioServerTransport(streams.input, streams.output));
}
