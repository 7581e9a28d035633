import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LinkFailure, type LinkSession } from "../connection/link.js";
import type { HttpServerConfig, ServerConfig, StdioServerConfig } from "../server-config.js";
import { type Link2025, type Link2025Options, openLink2025 } from "./link-2025.js";
import { createLinkFetch } from "./link-fetch.js";

/** What opening a link needs besides the server's address. */
export interface OpenLinkOptions extends Omit<Link2025Options, "session"> {
  readonly maxEventBytes: number;
  /** Takes the place of `fetch`, to sign requests; by default they go out as they are. */
  readonly fetch?: typeof fetch;
}

/** Opens a link of the 2025 era over whichever transport the server has. */
export async function openServerLink(
  server: ServerConfig,
  session: LinkSession | undefined,
  options: OpenLinkOptions,
): Promise<Link2025> {
  return "command" in server ? openStdio(server, options) : openHttp(server, session, options);
}

async function openHttp(
  server: HttpServerConfig,
  session: LinkSession | undefined,
  options: OpenLinkOptions,
): Promise<Link2025> {
  if (!URL.canParse(server.url)) throw new LinkFailure("not_mcp", "it is not a URL");
  let link: Link2025 | undefined;
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: createLinkFetch({
      fetch: options.fetch ?? fetch,
      maxEventBytes: options.maxEventBytes,
      resumedId: () => link?.resumedId,
      onNothingToResume: () => link?.failResumed(new LinkFailure("session_lost", "nothing to resume")),
    }),
    // `Connection` reconnects after a break; the transport would do so for some streams and not for others.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
    sessionId: session?.sessionId,
    requestInit: { headers: requestHeaders(server) },
  });
  link = await openLink2025(transport, { ...options, session });
  return link;
}

function requestHeaders({ token, headers }: HttpServerConfig): Record<string, string> {
  return { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
}

async function openStdio(server: StdioServerConfig, options: OpenLinkOptions): Promise<Link2025> {
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...inheritedEnvironment(), ...server.env },
    // A server's messages for people would tear the screen of a terminal program.
    stderr: "ignore",
  });
  return openLink2025(transport, options);
}

/** The whole environment: a server that a user starts by hand has it too. */
function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
