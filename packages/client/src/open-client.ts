import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { findControlTool, withDefaults } from "@resumable-mcp/protocol";
import type { Client, ServerInfo, ToolInfo } from "./client.js";
import type { ClientContext } from "./client-context.js";
import { credentialsPath, openCredentialsFile } from "./credentials/credentials-file.js";
import { type ClientLimits, defaultLimits } from "./limits.js";
import { packageVersion } from "./package-version.js";
import type { ServerConfig } from "./server-config.js";
import { type ConnectContext, connectServer } from "./servers/connect-server.js";
import {
  createServerChanges,
  createServerEditor,
  pingServer,
  type ServerChanges,
  type ServerEditor,
} from "./servers/edit-servers.js";
import { fromEach, serverAt } from "./servers/find-server.js";
import type { RemoteServer } from "./servers/remote-server.js";
import { createProgressRecorder } from "./state/progress-recorder.js";
import { defaultStateFile, openStateFile, type StateFile } from "./state/state-file.js";
import { listSessionInfo, listStats, listTasks, listUnfinished } from "./tasks/list-tasks.js";
import { startCall } from "./tasks/start-call.js";
import { createTaskHandle } from "./tasks/task-handle.js";

/** What a client is opened with. */
export interface OpenClientOptions {
  /** By default those of the last time, else the address where the server's program listens by default. */
  readonly servers?: readonly ServerConfig[];
  /** Only this one of them, by name or address. */
  readonly only?: string;
  /** By default one file per user. */
  readonly stateFile?: string;
  /** A `session_state.json` of another client: where there is no state yet, its `client_id` is taken over. */
  readonly importFrom?: string;
  /** Names this client to every server. By default its state's id does, which is named to local servers only if it was imported. */
  readonly clientId?: string | undefined;
  readonly limits?: Partial<ClientLimits>;
  /** The name of the program that servers receive. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

const defaultServer: ServerConfig = { url: "http://127.0.0.1:8001/mcp" };
const defaultClientInfo = { name: "resumable-mcp", version: packageVersion };

/**
 * Opens a client. No server is contacted before something is asked of it.
 *
 * @example
 * const client = await openClient({ servers: [{ url: "http://127.0.0.1:8001/mcp" }] });
 * for (const task of await client.unfinished()) console.log(task.id, task.percent);
 * const call = await client.call("count_words", { path: "book.txt" });
 * for await (const event of call.events()) console.log(event);
 * console.log((await call.result()).text);
 *
 * @throws {@link ClientError} `STATE_FOREIGN`, `STATE_UNREADABLE`, `STATE_LOCKED`.
 */
export async function openClient(options: OpenClientOptions = {}): Promise<Client> {
  const { importFrom } = options;
  const stateFile = await openStateFile(options.stateFile ?? defaultStateFile(), { importFrom });
  const limits = withDefaults(defaultLimits, options.limits);
  const configs = options.servers ?? knownServers(stateFile);
  const clientInfo = options.clientInfo ?? defaultClientInfo;
  const now = () => new Date().toISOString();
  const recorder = createProgressRecorder(stateFile, { saveProgressMs: limits.saveProgressMs, now });
  const credentials = await openCredentialsFile(credentialsPath(stateFile.path));
  const { client_id: ownId, imported } = stateFile.state;
  const named = options.clientId ?? (imported === true ? ownId : undefined);
  const connect: ConnectContext = { stateFile, credentials, limits, clientInfo, clientId: named };
  const all = configs.map((config) => connectServer(config, connect));
  const servers = options.only === undefined ? all : [serverAt({ servers: all, stateFile }, options.only)];
  const context: ClientContext = {
    servers,
    stateFile,
    limits,
    now,
    newId: randomUUID,
    delay: async (ms, signal) => {
      await delay(ms, undefined, { signal });
    },
    recordProgress: recorder.record,
  };
  const changes = createServerChanges();
  for (const server of servers) changes.watch(server);
  const editor = createServerEditor(connect, servers, changes.watch);
  const notices = [...stateFile.notices, ...credentials.notices];
  const remembered = new Set(options.servers === undefined ? servers : []);
  return assemble(context, { named, notices, flush: recorder.flush, editor, changes, remembered });
}

interface ClientParts {
  readonly named: string | undefined;
  readonly notices: readonly string[];
  readonly flush: () => Promise<void>;
  readonly editor: ServerEditor;
  readonly changes: ServerChanges;
  readonly remembered: ReadonlySet<RemoteServer>;
}

function assemble(context: ClientContext, parts: ClientParts): Client {
  const { named, notices, flush, editor, changes, remembered } = parts;
  const { servers, stateFile } = context;
  const clientId = named ?? stateFile.state.client_id;
  const infoOf = (server: RemoteServer) => ({
    ...serverInfo(server, stateFile, named),
    remembered: remembered.has(server),
  });
  return {
    clientId,
    notices,
    stateOrigin: stateFile.origin,
    unfinished: (filter = {}) => listUnfinished(context, filter),
    call: (tool, values, options = {}) => startCall(context, tool, values, options),
    task: (id, server) => createTaskHandle(context, id, server),
    tasks: (filter = {}) => listTasks(context, filter),
    stats: (filter = {}) => listStats(context, filter),
    sessionInfo: () => listSessionInfo(context),
    tools: async ({ onFailed } = {}) => (await fromEach(servers, toolsOf, onFailed)).flat(),
    ping: () => Promise.all(servers.map((server) => pingServer(server, context.limits))),
    servers: () => servers.map((server) => infoOf(server)),
    retryNow: () => {
      for (const { connection } of servers) connection.retryNow();
    },
    addServer: async (config, options = {}) => infoOf(await editor.add(config, options)),
    removeServer: (address) => editor.remove(address),
    testServer: (address) => editor.test(address),
    signIn: (address, options) => editor.signIn(address, options),
    onServerChange: (listener) => changes.listen(listener),
    summary: () => ({
      clientId,
      stateFile: stateFile.path,
      createdAt: stateFile.state.created_at,
      servers: servers.map((server) => infoOf(server)),
      activeTasks: Object.values(stateFile.state.active_tasks),
      completedTasks: stateFile.state.completed_tasks,
    }),
    lastArguments: (tool) => stateFile.state.last_arguments[tool],
    async close() {
      await Promise.all(servers.map(({ connection }) => connection.close()));
      await flush();
      await stateFile.drain();
    },
  };
}

function knownServers(stateFile: StateFile): readonly ServerConfig[] {
  const known = Object.values(stateFile.state.servers).map(({ server_url, command }): ServerConfig => {
    const [program, ...args] = command ?? [];
    return program === undefined ? { url: server_url } : { command: program, args };
  });
  return known.length === 0 ? [defaultServer] : known;
}

async function toolsOf(server: RemoteServer): Promise<readonly ToolInfo[]> {
  const tools = await server.tools();
  const offer = await server.controlTools();
  return tools.map(({ name, title, description, inputSchema }) => ({
    name,
    server: server.address,
    inputSchema,
    control: offer !== undefined && findControlTool(name, offer) !== undefined,
    title,
    description,
  }));
}

/** @param named what this client calls itself on every server. */
function serverInfo(
  { address, connection }: RemoteServer,
  { state }: StateFile,
  named: string | undefined,
): ServerInfo {
  const { session_id: sessionId, name, command, local = command !== undefined } = state.servers[address] ?? {};
  const clientId = named ?? (local ? undefined : state.client_id);
  return { address, state: connection.state, name, sessionId: sessionId ?? undefined, clientId };
}
