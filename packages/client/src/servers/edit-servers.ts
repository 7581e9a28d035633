import type { PingResult, ServerChange, ServerOptions, ServerTest } from "../client.js";
import { ClientError, isClientError } from "../client-error.js";
import type { ServerCredentials } from "../credentials/credentials-file.js";
import { type SignInOptions, signIn } from "../credentials/sign-in.js";
import { checkUser, type ServerConfig, serverAddress } from "../server-config.js";
import { serverForgotten, serverSeen } from "../state/state-changes.js";
import { type ConnectContext, connectServer } from "./connect-server.js";
import { serverAt } from "./find-server.js";
import type { RemoteServer } from "./remote-server.js";

/** Adds servers to a client that is open, and takes them away. */
export interface ServerEditor {
  add(config: ServerConfig, options: ServerOptions): Promise<RemoteServer>;
  remove(address: string): Promise<void>;
  test(address: string): Promise<ServerTest>;
  signIn(address: string, options: SignInOptions): Promise<void>;
}

/** Creates the editor of a client's list of servers; `onAdded` hears of new ones. */
export function createServerEditor(
  context: ConnectContext,
  servers: RemoteServer[],
  onAdded: (server: RemoteServer) => void,
): ServerEditor {
  const known = { servers, stateFile: context.stateFile };
  const drop = async (address: string) => {
    const index = servers.findIndex((server) => server.address === address);
    if (index >= 0) await servers.splice(index, 1)[0]?.connection.close();
  };
  return {
    async add(config, options) {
      const address = serverAddress(config);
      checkConfig(config);
      await remember(context, address, config, options);
      // Its configuration may have changed, so it gets a new connection.
      await drop(address);
      const server = connectServer(config, context);
      servers.push(server);
      onAdded(server);
      return server;
    },
    async remove(nameOrAddress) {
      const { address } = serverAt(known, nameOrAddress);
      await drop(address);
      await context.stateFile.update(serverForgotten(address));
      await context.credentials.update(address, () => undefined);
    },
    test: async (nameOrAddress) => testServer(serverAt(known, nameOrAddress), context),
    async signIn(nameOrAddress, options) {
      const { address, config } = serverAt(known, nameOrAddress);
      if ("command" in config) {
        throw new ClientError("SIGN_IN_FAILED", `${address} is started by a command: it needs no sign-in.`);
      }
      await signIn({ address, credentials: context.credentials, limits: context.limits }, options);
      await context.credentials.update(address, ({ token: _replaced, ...rest }) => rest);
      await context.stateFile.update(serverSeen(seenServer(address, config)));
    },
  };
}

async function remember(
  { stateFile, credentials }: ConnectContext,
  address: string,
  config: ServerConfig,
  { name }: ServerOptions,
): Promise<void> {
  const taken = Object.values(stateFile.state.servers).find((server) => server.name === name && name !== undefined);
  if (taken !== undefined && taken.server_url !== address) {
    throw new ClientError("INVALID_SERVER", `${taken.server_url} is called ${name} already. Choose another name.`);
  }
  // Before the state file: a server without its secrets would only be refused.
  const secrets = secretsOf(config);
  if (Object.keys(secrets).length > 0)
    await credentials.update(address, (known) => ({ ...withoutOld(known, secrets) }));
  const known = stateFile.state.servers[address];
  const session = {
    session_id: known?.session_id ?? null,
    protocol_version: known?.protocol_version ?? null,
    local: known?.local,
  };
  const server = { ...seenServer(address, config), ...session, name };
  await stateFile.update(serverSeen(server));
}

function checkConfig(config: ServerConfig): void {
  if ("command" in config) {
    if (config.command.trim() === "") throw new ClientError("INVALID_SERVER", "The command is empty. Name a program.");
    return;
  }
  if (!URL.canParse(config.url) || !/^https?:$/.test(new URL(config.url).protocol)) {
    throw new ClientError(
      "INVALID_SERVER",
      `"${serverAddress(config)}" is not a URL of a server. Give one like http://127.0.0.1:8001/mcp.`,
    );
  }
  checkUser(config);
}

function seenServer(address: string, config: ServerConfig) {
  const command = "command" in config ? { command: [config.command, ...(config.args ?? [])] } : {};
  return { server_url: address, session_id: null, protocol_version: null, ...command };
}

function secretsOf(config: ServerConfig): ServerCredentials {
  if ("command" in config) return config.env === undefined ? {} : { env: { ...config.env } };
  const { token, headers } = config;
  return {
    ...(token === undefined ? {} : { token }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}

/** A token that was given by hand takes the place of a sign-in. */
function withoutOld({ oauth, ...known }: ServerCredentials, secrets: ServerCredentials): ServerCredentials {
  const kept = secrets.token === undefined && oauth !== undefined ? { oauth } : {};
  return { ...known, ...kept, ...secrets };
}

/** Asks a server whether it is there and what it can do. */
async function testServer(server: RemoteServer, { limits }: Pick<ConnectContext, "limits">): Promise<ServerTest> {
  const ping = await pingServer(server, limits);
  if (!ping.ok) return ping;
  try {
    const tools = await server.tools();
    return { ...ping, tools: tools.length, resumable: await server.isResumable() };
  } catch (error) {
    return failedTest(server, error);
  }
}

/** Asks a server for a sign of life; a server that does not answer is an answer, too. */
export async function pingServer(
  server: RemoteServer,
  limits: { readonly requestTimeoutMs: number },
): Promise<PingResult> {
  const started = performance.now();
  try {
    await server.connection.run((link) => link.ping({ timeoutMs: limits.requestTimeoutMs }), { retry: "always" });
    return { server: server.address, ok: true, milliseconds: Math.round(performance.now() - started) };
  } catch (error) {
    return failedTest(server, error);
  }
}

function failedTest({ address }: RemoteServer, error: unknown): PingResult {
  const problem = error instanceof Error ? error.message : String(error);
  return { server: address, ok: false, problem, ...(isClientError(error) ? { code: error.code } : {}) };
}

/** Reports what happens to the connections, also of servers that are added later. */
export interface ServerChanges {
  watch(server: RemoteServer): void;
  listen(listener: (change: ServerChange) => void): () => void;
}

/** Creates the reports of a client's servers. */
export function createServerChanges(): ServerChanges {
  const listeners = new Set<(change: ServerChange) => void>();
  const notify = (change: ServerChange) => {
    for (const listener of listeners) listener(change);
  };
  return {
    watch({ address: server, connection }) {
      connection.subscribe((change) => {
        if (change.type === "state") return notify({ type: "state", server, state: change.state });
        if (change.previous === undefined) return;
        const { previous, session } = change;
        notify({ type: "session_changed", server, previous: previous.sessionId, sessionId: session?.sessionId });
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
