import type {
  Client,
  ClientEvent,
  ServerTest,
  TaskHandle,
  TaskInfo,
  TaskResult,
  ToolInfo,
} from "@resumable-mcp/client";
import { ClientError, isFinal, type ServerFilter } from "@resumable-mcp/client";
import type { TaskJournal } from "@resumable-mcp/protocol";

/** The one server of the fake, unless a task names another. */
export const fakeServer = "http://127.0.0.1:8001/mcp";

/** A task as a server tells of it. */
export function fakeTask(id: string, more: Partial<TaskInfo> = {}): TaskInfo {
  return {
    id,
    tool: "count_words",
    server: fakeServer,
    status: "running",
    interrupted: false,
    progress: 15,
    total: 50,
    percent: 30,
    message: "Processed 15/50 records",
    attempt: 1,
    generation: 1,
    itemCount: 15,
    lastSeq: 9,
    createdAt: "2026-11-21T09:00:00.000Z",
    updatedAt: "2026-11-21T09:00:10.000Z",
    questions: [],
    ...more,
  };
}

/** What the fake client knows, besides tasks. */
export interface FakeWorld {
  readonly tasks: readonly TaskInfo[];
  /** Every verb is written down here. */
  readonly said: string[];
  readonly journal?: TaskJournal;
  readonly result?: TaskResult;
  readonly inputSchema?: TaskInfo["questions"][number]["schema"];
  readonly events?: (taskId: string) => AsyncIterableIterator<ClientEvent>;
  readonly servers?: ReturnType<Client["servers"]>;
  readonly test?: (server: string) => ServerTest;
  /** Servers that do not answer when they are asked for tasks. */
  readonly silent?: readonly string[];
  readonly notices?: readonly string[];
  /** A replaced state says nothing of its own on the first screen. */
  readonly stateOrigin?: Client["stateOrigin"];
  readonly tools?: Client["tools"];
  readonly stats?: Client["stats"];
  readonly summary?: Partial<ReturnType<Client["summary"]>>;
  readonly lastArguments?: Client["lastArguments"];
  readonly signIn?: Client["signIn"];
}

const plainSchema = {
  type: "object",
  required: ["path"],
  properties: { path: { type: "string" }, deep: { type: "boolean", default: false } },
};

/** A tool as a server offers it. */
export function fakeTool(name: string, more: Partial<ToolInfo> = {}): ToolInfo {
  const description = "Counts the words of a file.";
  return { name, server: fakeServer, description, inputSchema: plainSchema, control: false, ...more };
}

function noAnswer(server: string): string {
  return `No server answers at ${server} (connection refused). Start it first.`;
}

/** Follows nothing and never ends. */
async function* silence(): AsyncIterableIterator<ClientEvent> {
  await new Promise(() => {});
}

/** A client whose servers have these tasks; nothing moves by itself. */
export function fakeClient(world: FakeWorld): Client {
  const { tasks, said } = world;
  const servers = world.servers ?? [
    { address: fakeServer, state: { name: "connected", known: true, attempt: 0 } as const, clientId: "id" },
  ];
  const at = (server: string | undefined) => {
    if (server !== undefined && world.silent?.includes(server) === true) throw new Error(noAnswer(server));
    return tasks.filter((task) => server === undefined || task.server === server);
  };
  /** What those that answer have; the others are reported. */
  const atEach = (server: string | undefined, onFailed: ServerFilter["onFailed"] = () => {}) => {
    const silent = server === undefined ? (world.silent ?? []) : [];
    for (const address of silent) onFailed(address, new ClientError("SERVER_UNREACHABLE", noAnswer(address)));
    return at(server).filter((task) => !silent.includes(task.server));
  };
  return {
    clientId: "id",
    notices: world.notices ?? [],
    stateOrigin: world.stateOrigin ?? "replaced",
    unfinished: async ({ server, onFailed } = {}) => atEach(server, onFailed).filter(({ status }) => !isFinal(status)),
    async call(tool, values, { detached } = {}) {
      said.push(`call ${tool} ${JSON.stringify(values)}${detached === true ? " detached" : ""}`);
      return {
        taskId: "new",
        server: fakeServer,
        joined: false,
        events: silence,
        result: () => new Promise(() => {}),
      };
    },
    task: (id) => fakeHandle(id, world),
    tasks: async ({ server, status, onFailed } = {}) =>
      atEach(server, onFailed).filter((task) => status?.includes(task.status) ?? true),
    stats:
      world.stats ??
      (async ({ onFailed } = {}) => {
        atEach(undefined, onFailed);
        return [{ server: fakeServer, counts: { running: 1, completed: 2 }, total: 3 }];
      }),
    sessionInfo: async () => [],
    tools:
      world.tools ??
      (async ({ onFailed } = {}) => {
        atEach(undefined, onFailed);
        return [fakeTool("count_words", { inputSchema: world.inputSchema ?? plainSchema })];
      }),
    ping: async () => [],
    servers: () => servers,
    retryNow: () => void said.push("retryNow"),
    async addServer(config, { name } = {}) {
      said.push(`addServer ${JSON.stringify(config)} ${name}`);
      return { address: fakeServer, state: { name: "idle", known: false } };
    },
    removeServer: async (address) => void said.push(`removeServer ${address}`),
    testServer: async (server) => world.test?.(server) ?? { server, ok: true, milliseconds: 5 },
    signIn: world.signIn ?? (async () => {}),
    onServerChange: () => () => {},
    summary: () => ({
      clientId: "id",
      stateFile: "/state.json",
      createdAt: "2026-11-21",
      servers: [],
      activeTasks: [],
      completedTasks: [],
      ...world.summary,
    }),
    lastArguments: world.lastArguments ?? (() => undefined),
    close: async () => {},
  };
}

function fakeHandle(id: string, { tasks, said, journal, result, events = silence }: FakeWorld): TaskHandle {
  const found = () => tasks.find((task) => task.id === id) ?? fakeTask(id);
  let requested: TaskInfo["requested"];
  const steer = (verb: string, request?: TaskInfo["requested"]) => async () => {
    said.push(`${verb} ${id}`);
    requested = verb === "info" ? requested : request;
    // A server's answer to this verb says what it did in place of what the task said last.
    const message = verb === "pause" ? `Task ${id} paused correctly` : found().message;
    return { ...found(), requested, message };
  };
  const note = (verb: string) => async () => void said.push(`${verb} ${id}`);
  return {
    id,
    info: steer("info"),
    follow: () => events(id),
    result: async () => result ?? new Promise(() => {}),
    async *artifact() {},
    pause: steer("pause", "pause"),
    resume: steer("resume"),
    cancel: steer("cancel", "cancel"),
    answer: async (key, answer) => {
      said.push(`answer ${id} ${key} ${JSON.stringify(answer)}`);
      return found();
    },
    async *items() {},
    journal: async () => journal,
    forget: note("delete"),
    remove: note("remove"),
  };
}
