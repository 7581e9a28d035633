import type {
  Json,
  JsonObject,
  QuestionAnswer,
  TaskArtifact,
  TaskJournal,
  TaskQuestion,
  TaskStatus,
} from "@resumable-mcp/protocol";
import type { ClientErrorCode } from "./client-error.js";
import type { ConnectionState } from "./connection/connection-state.js";
import type { SignInOptions } from "./credentials/sign-in.js";
import type { ServerConfig } from "./server-config.js";
import type { ActiveTask, CompletedTask } from "./state/client-state.js";
import type { StateOrigin } from "./state/state-file.js";
import type { TaskInfo } from "./task-info.js";
import type { TaskResult } from "./tool-result.js";

/** How a tool is called. */
export interface CallOptions {
  /** The address of the server to call; by default the first that has the tool. */
  readonly server?: string;
  /** `false` forces a new run where the same call would join an unfinished task. */
  readonly resume?: boolean;
  /**
   * The task needs no caller: after a crash of its server it continues at once. By default it waits for its client to
   * return.
   */
  readonly detached?: boolean;
  /**
   * Asks the user what a tool asks its caller directly, as those of other servers do. Without it such a question is dismissed. The
   * questions of tasks are events.
   */
  readonly ask?: (question: TaskQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;
}

/** A call that has been made. */
export interface TaskCall {
  /** The task behind the call, already on the disk; absent where the server has no tasks or has answered at once. */
  readonly taskId?: string;
  readonly server: string;
  /** The client knew the task before: this call joins it. */
  readonly joined: boolean;
  /** Reads what happens from here on; ends with the task. */
  events(): AsyncIterableIterator<ClientEvent>;
  /**
   * Waits for the end, through restarts of the server.
   *
   * A tool that failed is a result with `isError`, not an exception.
   */
  result(): Promise<TaskResult>;
}

/** One task, in whatever process it was started. Nothing is asked before it is needed. */
export interface TaskHandle {
  readonly id: string;
  /** What its server says of it now. */
  info(): Promise<TaskInfo>;
  /** Reads what happens from now on, beginning with what it is now; `fromStart` reads its whole journal. */
  follow(options?: { readonly fromStart?: boolean }): AsyncIterableIterator<ClientEvent>;
  /** Waits for the end; of a finished task it is there at once. */
  result(): Promise<TaskResult>;
  pause(): Promise<TaskInfo>;
  /** Takes up a paused, an interrupted or a failed task. */
  resume(): Promise<TaskInfo>;
  cancel(): Promise<TaskInfo>;
  answer(key: string, answer: QuestionAnswer): Promise<TaskInfo>;
  /** Reads the items that its checkpoints appended, page by page. */
  items(options?: { readonly after?: number; readonly pageSize?: number }): AsyncIterableIterator<Json>;
  /**
   * Reads a file that the task made, part by part.
   *
   * @throws {@link ClientError} `MALFORMED_ANSWER` where it is not as long as the task says.
   */
  artifact(file: TaskArtifact): AsyncIterableIterator<Uint8Array>;
  /** Reads what happened to it: attempts, checkpoints, steps, questions, log; `undefined` where its server does not say. */
  journal(): Promise<TaskJournal | undefined>;
  /**
   * Takes an unfinished task off this client's lists and leaves it alone on its server.
   *
   * The same call, or anything else that is done with the task by its id, brings it back.
   */
  forget(): Promise<void>;
  /** Deletes a finished task on its server and forgets it. */
  remove(): Promise<void>;
}

/** What all servers are asked for. */
export interface ServerFilter {
  /** Hears of each server that fails while another answers: nothing of it is listed. */
  readonly onFailed?: (server: string, error: unknown) => void;
}

/** Which tasks a list holds. */
export interface TaskFilter extends ServerFilter {
  readonly status?: readonly TaskStatus[];
  readonly tool?: string;
  readonly server?: string;
  /** At most so many of each server, newest first. */
  readonly limit?: number;
  /** Those of all owners: for operators. */
  readonly allOwners?: boolean;
}

/** A tool that can be called. */
export interface ToolInfo {
  readonly name: string;
  readonly server: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  /** One of the tools that steer tasks, which this client calls by itself. */
  readonly control: boolean;
}

/** How many tasks of which status one server keeps for this client. */
export interface ServerStats {
  readonly server: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
  /** Of all owners: how many of the newest failed tasks there are of each tool. */
  readonly failedByTool?: Readonly<Record<string, number>> | undefined;
}

/** The state of one server. */
export interface ServerInfo {
  readonly address: string;
  /** The name that its user gave it. */
  readonly name?: string;
  readonly state: ConnectionState;
  readonly sessionId?: string;
  /** It is known from an earlier time: the program did not name it this time. */
  readonly remembered?: boolean;
  /** What this client calls itself there. Absent where it said that this client is local: the tasks are those of this machine's user. */
  readonly clientId?: string;
}

/** Whether a server answers. */
export interface PingResult {
  readonly server: string;
  readonly ok: boolean;
  readonly milliseconds?: number;
  readonly problem?: string;
  readonly code?: ClientErrorCode;
}

/** Whether a server answers, and what it can do. */
export interface ServerTest extends PingResult {
  /** How many tools it lists. */
  readonly tools?: number;
  /** Its calls are tasks that can be followed and steered. */
  readonly resumable?: boolean;
}

/** How a server is added. */
export interface ServerOptions {
  /** A short name for it, unique among the servers of this client. */
  readonly name?: string;
}

/** What one server says of this client's connection. */
export interface SessionInfo {
  readonly server: string;
  readonly sessionId?: string;
  readonly requestId?: string;
  readonly clientId?: string;
}

/** What the state file holds, for people. */
export interface ClientSummary {
  readonly clientId: string;
  readonly stateFile: string;
  readonly createdAt: string;
  readonly servers: readonly ServerInfo[];
  readonly activeTasks: readonly ActiveTask[];
  readonly completedTasks: readonly CompletedTask[];
}

/** A client with a persistent identity: it finds each task that it started again, after any crash of either side. */
export interface Client {
  readonly clientId: string;
  /** What happened to the state file that a user should know. */
  readonly notices: readonly string[];
  /** Whether the state was found, with the client's id; was created, since there was none; or replaces a damaged one. */
  readonly stateOrigin: StateOrigin;
  /** The tasks that are not over, on every server that answers or on one, newest first; without the forgotten ones. */
  unfinished(filter?: Pick<TaskFilter, "server" | "onFailed">): Promise<readonly TaskInfo[]>;
  /**
   * Calls a tool, or joins the task of the same call where one is unfinished.
   *
   * Durability: the task's id is on the disk when this resolves, and the name of a forced run before it is sent.
   * Retry: after a break the start is repeated only where that cannot run the tool twice.
   *
   * @throws {@link ClientError} `UNKNOWN_TOOL`, `SERVER_UNREACHABLE`, `CONNECTION_LOST` and others.
   */
  call(tool: string, values: JsonObject, options?: CallOptions): Promise<TaskCall>;
  task(id: string, server?: string): TaskHandle;
  tasks(filter?: TaskFilter): Promise<readonly TaskInfo[]>;
  stats(filter?: Pick<TaskFilter, "allOwners" | "onFailed">): Promise<readonly ServerStats[]>;
  sessionInfo(): Promise<readonly SessionInfo[]>;
  tools(filter?: ServerFilter): Promise<readonly ToolInfo[]>;
  ping(): Promise<readonly PingResult[]>;
  /** The state of each server, without a request. */
  servers(): readonly ServerInfo[];
  /** Tries every server at once whose next attempt to connect waits, instead of at the end of that wait. */
  retryNow(): void;
  /**
   * Adds a server, or changes what is known of it; it is not asked yet.
   *
   * Durability: it is in the state file, and its secrets in the credentials file, when this resolves.
   *
   * @throws {@link ClientError} `INVALID_SERVER`.
   */
  addServer(server: ServerConfig, options?: ServerOptions): Promise<ServerInfo>;
  /**
   * Forgets a server with its session and its secrets. Its tasks are left alone: they are there again when it is.
   *
   * @throws {@link ClientError} `UNKNOWN_SERVER`.
   */
  removeServer(nameOrAddress: string): Promise<void>;
  /** Asks one server whether it answers and what it can do. */
  testServer(nameOrAddress: string): Promise<ServerTest>;
  /** Signs the user in with the authorization server that a server names; the tokens are kept and renewed. */
  signIn(nameOrAddress: string, options: SignInOptions): Promise<void>;
  /** Calls the listener when a server's state or session changes; returns how to stop that. */
  onServerChange(listener: (change: ServerChange) => void): () => void;
  /** What the state file holds; asks no server. */
  summary(): ClientSummary;
  /** What a tool was last called with. */
  lastArguments(tool: string): JsonObject | undefined;
  /** Closes the connections. Tasks continue; nothing is cancelled. */
  close(): Promise<void>;
}

/** What happened to the connection to a server. */
export type ServerChange =
  | { readonly type: "state"; readonly server: string; readonly state: ConnectionState }
  /** The server no longer knows the old session: the session id changed. */
  | {
      readonly type: "session_changed";
      readonly server: string;
      readonly previous: string;
      readonly sessionId?: string;
    };

/** What a follower of a call sees: in order, each event once. */
export type ClientEvent =
  | {
      readonly type: "progress";
      readonly progress: number;
      readonly total?: number;
      /** 0 to 100, where the total is known. */
      readonly percent?: number;
      readonly message?: string;
      /** Place in the task's journal; absent on servers without tasks. */
      readonly seq?: number;
      /** Replaces all events before it, which are not sent again. */
      readonly snapshot?: true;
      /** The task began again from the start, so its progress is lower than before. */
      readonly restarted?: true;
    }
  | {
      readonly type: "log";
      readonly level: string;
      readonly data: Json;
      readonly seq?: number;
    }
  | { readonly type: "status"; readonly status: TaskStatus }
  | { readonly type: "question"; readonly question: TaskQuestion }
  | {
      readonly type: "reconnecting";
      readonly attempt: number;
      readonly nextDelayMs: number;
      readonly reason: string;
    }
  | { readonly type: "reconnected" }
  | { readonly type: "session_changed"; readonly previous: string; readonly sessionId?: string }
  /** The reader was so far behind that this many log messages had to be left out. */
  | { readonly type: "dropped"; readonly count: number };
