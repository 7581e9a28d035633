import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { metaKeys } from "@resumable-mcp/protocol";
import { Connection } from "../connection/connection.js";
import type { LinkSession } from "../connection/link.js";
import { createAuthorizedFetch } from "../credentials/authorized-fetch.js";
import type { CredentialsFile } from "../credentials/credentials-file.js";
import { openServerLink } from "../era-2025/open-server-link.js";
import type { ClientLimits } from "../limits.js";
import { checkUser, type ServerConfig, serverAddress } from "../server-config.js";
import { serverSeen } from "../state/state-changes.js";
import type { StateFile } from "../state/state-file.js";
import { RemoteServer } from "./remote-server.js";

/** What all servers of a client are connected with. */
export interface ConnectContext {
  readonly stateFile: StateFile;
  readonly credentials: CredentialsFile;
  readonly limits: ClientLimits;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Whom to name to every server, in place of the state's own id to those that are not on this machine. */
  readonly clientId?: string | undefined;
}

/** Creates a server whose session is kept in the state file, so that the next process takes it up again. */
export function connectServer(config: ServerConfig, context: ConnectContext): RemoteServer {
  checkUser(config);
  const { stateFile, credentials, limits, clientInfo, clientId } = context;
  const address = serverAddress(config);
  const { client_id: ownId } = stateFile.state;
  // What the state remembers is of its own client. A session keeps the client that it named.
  const isOwn = clientId === undefined || clientId === ownId;
  const session = isOwn ? knownSession(stateFile, address, clientId) : undefined;
  const connection = new Connection({
    address,
    advice: startAdvice(config),
    limits,
    random: Math.random,
    delay: async (ms, signal) => {
      await delay(ms, undefined, { signal });
    },
    session,
    open: async (known) => {
      const effective = await withCredentials(config, address, credentials);
      const given = "command" in effective || effective.token !== undefined;
      return openServerLink(effective, known, {
        clientInfo,
        idPrefix: `${randomUUID()}:`,
        meta: { [metaKeys.showsQuestions]: true },
        caller: { [metaKeys.clientId]: clientId ?? ownId },
        namesLocally: clientId !== undefined,
        connectTimeoutMs: limits.requestTimeoutMs,
        maxEventBytes: limits.maxEventBytes,
        ...(given ? {} : { fetch: createAuthorizedFetch({ address, credentials, fetch }) }),
      });
    },
  });
  let remembered = session !== undefined;
  connection.subscribe((change) => {
    if (!isOwn) return;
    const opened = change.type === "session" ? change.session : undefined;
    // A server without sessions is remembered, too.
    const answered = change.type === "state" && change.state.name === "connected" && !remembered;
    if (change.type !== "session" && !answered) return;
    remembered = true;
    rememberServer(config, address, stateFile, opened);
  });
  return new RemoteServer(config, address, connection, limits);
}

/** Adds what is known of a server in secret; what the program was given itself wins. */
async function withCredentials(
  config: ServerConfig,
  address: string,
  credentials: CredentialsFile,
): Promise<ServerConfig> {
  const { token, headers, env } = await credentials.read(address);
  if ("command" in config) return { ...config, env: { ...env, ...config.env } };
  const bearer = config.token ?? token;
  return {
    ...config,
    headers: { ...headers, ...config.headers },
    token: bearer,
  };
}

function rememberServer(
  config: ServerConfig,
  address: string,
  stateFile: StateFile,
  session: LinkSession | undefined,
): void {
  const server = {
    server_url: address,
    session_id: session?.sessionId ?? null,
    protocol_version: session?.protocolVersion ?? null,
    local: session?.local,
    ...("command" in config ? { command: [config.command, ...(config.args ?? [])] } : {}),
  };
  // The next process opens a new session in place of one that could not be written.
  stateFile.update(serverSeen(server)).catch(() => undefined);
}

function knownSession(stateFile: StateFile, address: string, clientId: string | undefined): LinkSession | undefined {
  const known = stateFile.state.servers[address];
  // Of a session of an earlier version it is not known whether this client names itself there.
  if (known?.session_id == null || known.local === undefined) return undefined;
  if (known.local && clientId !== undefined) return undefined;
  const { session_id: sessionId, protocol_version: protocolVersion, local } = known;
  return { sessionId, protocolVersion: protocolVersion ?? undefined, local };
}

function startAdvice(config: ServerConfig): string {
  if ("command" in config) return "Check the command: it has to start a server that speaks over stdin and stdout.";
  const port = URL.canParse(config.url) ? new URL(config.url).port : "";
  return `Start it first, for example: resumable-mcp serve http tools.mjs --port ${port === "" ? "8001" : port}`;
}
