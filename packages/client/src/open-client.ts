import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Client, PingResult, ServerInfo, ToolInfo } from "./client.js";
import type { ClientContext } from "./client-context.js";
import { connectServer } from "./connect-server.js";
import { fromEach } from "./connection/from-each.js";
import { controlPrefix, controlTools, type RemoteServer } from "./connection/remote-server.js";
import { type ClientLimits, defaultLimits } from "./limits.js";
import { listSessionInfo, listStats, listTasks, listUnfinished } from "./list-tasks.js";
import type { ServerConfig } from "./server-config.js";
import { startCall } from "./start-call.js";
import { defaultStateFile } from "./state/default-state-file.js";
import { createProgressRecorder } from "./state/progress-recorder.js";
import { openStateFile, type StateFile } from "./state/state-file.js";
import { createTaskHandle } from "./task-handle.js";

/** What a client is opened with. */
export interface OpenClientOptions {
  /** By default those of the last time, else the address where the server's program listens by default. */
  readonly servers?: readonly ServerConfig[];
  /** By default one file per user. */
  readonly stateFile?: string;
  readonly limits?: Partial<ClientLimits>;
  /** Told to servers as the name of the program. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

const defaultServer: ServerConfig = { url: "http://127.0.0.1:8001/mcp" };
const defaultClientInfo = { name: "resumable-mcp", version: "0.1.0" };

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
  const stateFile = await openStateFile(options.stateFile ?? defaultStateFile());
  const limits = { ...defaultLimits, ...options.limits };
  const configs = options.servers ?? knownServers(stateFile);
  const clientInfo = options.clientInfo ?? defaultClientInfo;
  const now = () => new Date().toISOString();
  const recorder = createProgressRecorder(stateFile, { saveProgressMs: limits.saveProgressMs, now });
  const servers = configs.map((config) => connectServer(config, stateFile, limits, clientInfo));
  const context: ClientContext = {
    servers,
    stateFile,
    limits,
    now,
    newId: randomUUID,
    delay: async (ms, signal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
    recordProgress: recorder.record,
  };
  return assemble(context, recorder.flush);
}

function assemble(context: ClientContext, flush: () => Promise<void>): Client {
  const { servers, stateFile } = context;
  return {
    clientId: stateFile.state.client_id,
    notices: stateFile.notices,
    unfinished: (filter = {}) => listUnfinished(context, filter),
    call: (tool, values, options = {}) => startCall(context, tool, values, options),
    task: (id, server) => createTaskHandle(context, id, server),
    tasks: (filter = {}) => listTasks(context, filter),
    stats: () => listStats(context),
    sessionInfo: () => listSessionInfo(context),
    tools: async () => (await fromEach(servers, toolsOf)).flat(),
    ping: () => Promise.all(servers.map((server) => pingServer(server, context.limits))),
    servers: () => servers.map((server) => serverInfo(server, stateFile)),
    onServerChange: (listener) => {
      const stops = servers.map(({ address: server, connection }) =>
        connection.subscribe((change) => {
          if (change.type === "state") listener({ type: "state", server, state: change.state });
          else if (change.previous !== undefined) {
            const session = change.session === undefined ? {} : { sessionId: change.session.sessionId };
            listener({ type: "session_changed", server, previous: change.previous.sessionId, ...session });
          }
        }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
    summary: () => ({
      clientId: stateFile.state.client_id,
      stateFile: stateFile.path,
      createdAt: stateFile.state.created_at,
      servers: servers.map((server) => serverInfo(server, stateFile)),
      activeTasks: Object.values(stateFile.state.active_tasks),
      completedTasks: stateFile.state.completed_tasks,
    }),
    lastArguments: (tool) => stateFile.state.last_arguments[tool],
    async close() {
      await Promise.all(servers.map(({ connection }) => connection.close()));
      await flush();
      await stateFile.settled();
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
  const prefix = controlPrefix(tools.map(({ name }) => name));
  const control = new Set(prefix === undefined ? [] : controlTools.map((name) => prefix + name));
  return tools.map(({ name, title, description, inputSchema }) => ({
    name,
    server: server.address,
    inputSchema,
    control: control.has(name),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }));
}

async function pingServer(server: RemoteServer, limits: ClientLimits): Promise<PingResult> {
  const started = performance.now();
  try {
    await server.connection.run((link) => link.ping({ timeoutMs: limits.requestTimeoutMs }), { retry: "always" });
    return { server: server.address, ok: true, milliseconds: Math.round(performance.now() - started) };
  } catch (error) {
    return { server: server.address, ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function serverInfo({ address, connection }: RemoteServer, stateFile: StateFile): ServerInfo {
  const sessionId = stateFile.state.servers[address]?.session_id;
  return { address, state: connection.state, ...(sessionId == null ? {} : { sessionId }) };
}
