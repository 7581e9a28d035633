import type { SessionLimits } from "../../limits.js";
import type { JSONRPCMessage } from "../../sdk-2025.js";
import type { SessionFacts } from "./session-document.js";

/** What a stream begins with, so that its client comes back to it. */
export interface Prime {
  /** When it comes back. */
  readonly retryMs: number;
  /** Of an event whose id it keeps; without it, the first message brings the id. */
  readonly data: string | undefined;
}

/** The first version of the protocol whose clients understand an event without data. */
const primingVersion = "2025-11-25";

/** Older clients refuse an event without data: what they can read is a log message, unless they do not want it. */
const begun = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "debug", logger: "resumable-mcp", data: "The stream begins: its client can come back to it." },
} satisfies JSONRPCMessage);

/**
 * Tells whether a session's client understands an event without data, and comes back to a stream that ends with one.
 * Source: MCP 2025-11-25, Transports, "Sending Messages to the Server" (disconnecting at will). Pure.
 */
export function isPrimed({ protocolVersion }: SessionFacts): boolean {
  return protocolVersion >= primingVersion;
}

/** Says what the streams of a session begin with. @param hasLog its server can send log messages. Pure. */
export function makePrime(session: SessionFacts, hasLog: boolean, { retryMs }: SessionLimits): Prime {
  if (isPrimed(session)) return { retryMs, data: "" };
  const { level = "debug" } = session.logLevel ?? {};
  return { retryMs, data: hasLog && level === "debug" ? begun : undefined };
}
