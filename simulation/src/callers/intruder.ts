import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { History } from "../history/history.js";
import type { Worker } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { newActor, type World } from "../world/world.js";
import { McpRequests } from "./mcp-requests.js";
import { jsonHeaders, metaOf, rpc } from "./rpc.js";

interface IntruderOptions {
  readonly world: World;
  readonly history: History;
  readonly pickWorker: () => Worker | undefined;
  readonly everyMs: number;
  readonly untilMs: number;
}

type Era = "2025" | "2026";

/** A request of MCP that leads to a task by its id. */
interface Route {
  readonly method: string;
  readonly params: (id: string) => JsonObject;
  readonly eras: readonly Era[];
}

const both: readonly Era[] = ["2025", "2026"];
const answer = { action: "accept", content: { word: "of a stranger" } };

function toolRoute(name: string, more: JsonObject = {}): readonly [string, Route] {
  const params = (id: string) => ({ name, arguments: { task_id: id, ...more } });
  return [name, { method: "tools/call", params, eras: both }];
}

function taskRoute(method: string, eras: readonly Era[], more: JsonObject = {}): readonly [string, Route] {
  return [method, { method, params: (id) => ({ taskId: id, ...more }), eras }];
}

function resourceRoute(part: string): readonly [string, Route] {
  return [
    `resources/read ${part}`,
    { method: "resources/read", params: (id) => ({ uri: `task://${id}${part}` }), eras: both },
  ];
}

/** Every control tool, method and resource that takes the id of a task. */
const routes: readonly (readonly [string, Route])[] = [
  ...["pause_task", "resume_task", "cancel_task", "delete_task", "get_task_items"].map((name) => toolRoute(name)),
  toolRoute("get_task", { include: ["result"] }),
  toolRoute("wait_for_task", { timeout_seconds: 0 }),
  toolRoute("answer_task", { key: "ask-0", ...answer }),
  taskRoute("tasks/get", both),
  taskRoute("tasks/cancel", both),
  taskRoute("tasks/result", ["2025"]),
  taskRoute("tasks/update", ["2026"], { inputResponses: { "ask-0": answer } }),
  ...["", "/journal", "/items"].map(resourceRoute),
];

const unknownId = "0123456789abcdef0123456789abcdef";
const stranger = { clientId: "0d7f1a52-stranger-to-all", newTask: undefined, handoffMs: undefined };

/** Tries over MCP, in both eras, what a client can do to the tasks of others whose ids it knows. */
export class Intruder {
  readonly #options: IntruderOptions;
  readonly #random: Random;
  readonly #actor = newActor("intruder");
  readonly #requests: McpRequests;
  #lastId = 0;

  constructor(options: IntruderOptions) {
    this.#options = options;
    this.#random = options.world.random.fork();
    this.#requests = new McpRequests(options.world, this.#actor, () => {});
  }

  begin(): void {
    const { world, everyMs, untilMs } = this.#options;
    world.after(
      everyMs,
      () => {
        if (world.nowMs >= untilMs) return;
        void this.#intrude();
        this.begin();
      },
      this.#actor,
    );
  }

  async #intrude(): Promise<void> {
    const { history, pickWorker } = this.#options;
    const worker = pickWorker();
    const known = history.events.filter(
      ({ kind, task }) =>
        (kind === "called" || kind === "mcp_progress" || kind === "client_called") && task !== undefined,
    );
    if (worker === undefined || known.length === 0) return;
    const [name, route] = this.#random.pick(routes);
    const era = this.#random.pick(route.eras);
    const session = era === "2025" ? await this.#openSession(worker) : undefined;
    const { task } = this.#random.pick(known);
    const ask = (id: string) =>
      era === "2025" ? this.#ask2025(worker, session, route, id) : this.#ask2026(worker, route, id);
    const [foreign, unknown] = [await ask(String(task)), await ask(unknownId)];
    if (foreign !== undefined && unknown !== undefined)
      history.add("intrudes", { method: `${name} of ${era}`, foreign, unknown });
  }

  async #openSession(worker: Worker): Promise<string | undefined> {
    const clientInfo = { name: "intruder", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo, _meta: metaOf(stranger) };
    const body = rpc({ id: 0, method: "initialize", params });
    const opened = await this.#requests.whole(worker, { method: "POST", headers: jsonHeaders, body });
    return opened?.headers["mcp-session-id"];
  }

  async #ask2025(worker: Worker, session: string | undefined, route: Route, id: string): Promise<string | undefined> {
    if (session === undefined) return undefined;
    const headers = { ...jsonHeaders, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    return this.#ask(worker, { headers, route, id, params: { ...route.params(id), _meta: metaOf(stranger) } });
  }

  #ask2026(worker: Worker, route: Route, id: string): Promise<string | undefined> {
    const params = route.params(id);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
      ...metaOf(stranger),
    };
    const named = params.name ?? params.uri ?? params.taskId;
    const headers = {
      ...jsonHeaders,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": route.method,
      "mcp-name": String(named),
    };
    return this.#ask(worker, { headers, route, id, params: { ...params, _meta } });
  }

  /** What is answered, without the id; nothing where there is no answer. */
  async #ask(
    worker: Worker,
    request: {
      readonly headers: { readonly [name: string]: string };
      readonly route: Route;
      readonly id: string;
      readonly params: JsonObject;
    },
  ): Promise<string | undefined> {
    const { headers, route, id, params } = request;
    this.#lastId += 1;
    const body = rpc({ id: this.#lastId, method: route.method, params });
    const given = await this.#requests.whole(worker, { method: "POST", headers, body });
    const message = given && messageOf(given.text, this.#lastId);
    if (given === undefined || message === undefined) return undefined;
    return `${given.status} ${JSON.stringify(message.result ?? message.error)}`.replaceAll(id, "…");
  }
}

/** The answer to a request, out of a stream or in one piece. */
function messageOf(text: string, id: number): JsonObject | undefined {
  const whole = text.startsWith("{")
    ? [text]
    : text.split("\n").flatMap((line) => /^data: (\{.*)$/.exec(line)?.[1] ?? []);
  return whole
    .map((part): unknown => JSON.parse(part))
    .filter(isJsonObject)
    .find((message) => message.id === id && message.method === undefined);
}
