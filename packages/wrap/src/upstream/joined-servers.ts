import { isJsonObject, type JsonObject, type Tool } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import type {
  CallerHeaders,
  Era,
  Upstream,
  UpstreamChange,
  UpstreamClient,
  UpstreamRequest,
  UpstreamResponse,
  UpstreamSubscribed,
  UpstreamSubscription,
} from "@resumable-mcp/mcp/define-server";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import type { ServerFacts } from "./connection.js";
import { KnownLists } from "./known-lists.js";
import { shownNames } from "./shown-names.js";
import type { WrappedServer } from "./wrapped-server.js";

/** One of several servers behind a gateway. */
export interface NamedServer {
  /** Names it in front of what others call the same. */
  readonly key: string;
  readonly server: WrappedServer;
}

/** The lists of servers: where the entries of one stand, and what identifies an entry. */
const lists = {
  "prompts/list": { entries: "prompts", id: "name" },
  "resources/list": { entries: "resources", id: "uri" },
  "resources/templates/list": { entries: "resourceTemplates", id: "uriTemplate" },
} as const;
type ListMethod = keyof typeof lists;

/** By what methods begin with, the capability that a server declares for them. */
const capabilities: Readonly<Record<string, string>> = {
  prompts: "prompts",
  resources: "resources",
  completion: "completions",
  logging: "logging",
};

/** An entry of a list. */
interface Listed {
  readonly server: WrappedServer;
  /** What identifies it at its server. */
  readonly own: string;
  /** As callers see it. */
  readonly entry: JsonObject;
}

/** All servers of that capability are asked, and not the first that answers. */
const forAll = "logging/setLevel";

/** Several servers behind one engine. What one of them offers does not depend on whether another is there. */
export class JoinedServers implements Upstream {
  readonly #servers: readonly NamedServer[];
  readonly #known = new KnownLists<Listed>();

  constructor(servers: readonly NamedServer[]) {
    this.#servers = servers;
    // Also after the start of another version, which has other tools.
    this.watch(({ method }) => method.endsWith("/list_changed") && this.#known.forget());
  }

  get facts(): Pick<ServerFacts, "instructions"> {
    const parts = this.#servers.flatMap(({ key, server: { facts } }) =>
      facts?.instructions === undefined ? [] : [`${key}:\n${facts.instructions}`],
    );
    return { instructions: parts.length === 0 ? undefined : parts.join("\n\n") };
  }

  /** Those that have started list their tools. */
  get notStarted(): string | undefined {
    const missing = this.#servers.flatMap(({ key, server: { notStarted } }) =>
      notStarted === undefined ? [] : [`${key}: ${notStarted}`],
    );
    return missing.length === this.#servers.length ? missing.join(" ") : undefined;
  }

  /** A call that one server has begun is not continued by another whose tool has the name now: its tool has another version. */
  get tools(): readonly Tool[] {
    const listed = this.#servers.map(({ key, server }) => ({ key, names: server.entries.map(({ name }) => name) }));
    const shown = shownNames(listed);
    return this.#servers.flatMap(({ key, server }, index) =>
      server.toolsAs((name) => shown[index]?.get(name) ?? name, `1-${key}`),
    );
  }

  get capabilities(): JsonObject {
    return Object.assign({}, ...this.#servers.map(({ server }) => server.capabilities));
  }

  keepIn(documents: Documents): void {
    for (const { server } of this.#servers) server.keepIn(documents);
  }

  get passes(): readonly string[] {
    return this.#servers.find(({ server }) => server.passes.length > 0)?.server.passes ?? [];
  }

  expect(owner: string, era: Era, headers?: CallerHeaders): (taskId: string | undefined) => void {
    return this.#servers[0]?.server.expect(owner, era, headers) ?? (() => {});
  }

  join(taskId: string, client: UpstreamClient): () => void {
    return this.#all((server) => server.join(taskId, client));
  }

  watch(listener: (change: UpstreamChange) => void): () => void {
    return this.#all((server) => server.watch(listener));
  }

  async ask(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { method } = request;
    if (isList(method)) {
      const listed = await this.#list(method, request);
      return { result: { [lists[method].entries]: listed.map(({ entry }) => entry) } };
    }
    const { servers, params } = await this.#targetOf(request);
    const answers: UpstreamResponse[] = [];
    for (const server of servers) {
      answers.push(await server.ask({ ...request, params }, servers.length > 1));
      if (method !== forAll && "result" in (answers.at(-1) ?? {})) break;
    }
    return answers.find((answer) => "result" in answer) ?? answers[0] ?? notListed;
  }

  async subscribe(subscription: UpstreamSubscription): Promise<UpstreamSubscribed> {
    const request = { ...subscription, method: "resources/subscribe", params: { uri: subscription.uri } };
    const { servers } = await this.#targetOf(request);
    const answers = await Promise.all(servers.map((server) => server.subscribe(subscription)));
    const ends = answers.flatMap((answer) => ("end" in answer ? [answer.end] : []));
    const end = () => {
      for (const each of ends) each();
    };
    return ends.length > 0 ? { end } : (answers[0] ?? notListed);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ server }) => server.close()));
  }

  /** Begins something at each, and returns what ends it. */
  #all(begin: (server: WrappedServer) => () => void): () => void {
    const ends = this.#servers.map(({ server }) => begin(server));
    return () => {
      for (const end of ends) end();
    };
  }

  #able(method: string): readonly NamedServer[] {
    const capability = capabilities[method.split("/")[0] ?? ""] ?? "";
    return this.#servers.filter(({ server }) => server.capabilities[capability] !== undefined);
  }

  /** Who is asked, and with which params: a prompt is of the server that lists it; a resource of the one that lists it, or else of those whose templates fit, or of any. */
  async #targetOf(request: UpstreamRequest): Promise<{ servers: readonly WrappedServer[]; params: JsonObject }> {
    const { method, params } = request;
    const able = this.#able(method).map(({ server }) => server);
    const ref: JsonObject = method === "completion/complete" ? Object(params.ref) : params;
    if (method === "prompts/get" || ref.type === "ref/prompt") {
      const found = (await this.#knownList("prompts/list", request)).find(({ entry }) => entry.name === ref.name);
      if (found === undefined) return { servers: [], params };
      const name = { ...ref, name: found.own };
      return { servers: [found.server], params: ref === params ? name : { ...params, ref: name } };
    }
    if (able.length <= 1 || method === forAll) return { servers: able, params };
    const uri = toText(ref.uri);
    const [resources, templates] = await Promise.all([
      this.#knownList("resources/list", request),
      this.#knownList("resources/templates/list", request),
    ]);
    const found = [...resources, ...templates].find(({ own }) => own === uri);
    if (found !== undefined) return { servers: [found.server], params };
    const fitting = new Set(templates.filter(({ own }) => fits(own, uri)).map(({ server }) => server));
    return { servers: fitting.size > 0 ? [...fitting] : able, params };
  }

  /** Not asked for again with each read. */
  async #knownList(method: ListMethod, request: UpstreamRequest): Promise<readonly Listed[]> {
    return this.#known.find(keyOf(method, request)) ?? this.#list(method, request);
  }

  /** What all servers list, without those that do not answer. Of what two identify in the same way, the first server's is listed. */
  async #list(method: ListMethod, request: UpstreamRequest): Promise<readonly Listed[]> {
    const { id } = lists[method];
    const able = this.#able(method);
    const keep = this.#known.reading(keyOf(method, request));
    let isWhole = true;
    const miss = () => {
      isWhole = false;
    };
    const found = await Promise.all(able.map((one) => this.#entriesOf(one.server, method, request, miss)));
    const names = able.map(({ key }, index) => ({ key, names: (found[index] ?? []).map(({ own }) => own) }));
    const shown = id === "name" ? shownNames(names) : [];
    const byId = new Map<string, Listed>();
    for (const [index, entries] of found.entries()) {
      for (const { own, entry, server } of entries) {
        const name = shown[index]?.get(own) ?? own;
        if (!byId.has(name)) byId.set(name, { own, server, entry: { ...entry, [id]: name } });
      }
    }
    const listed = [...byId.values()];
    if (isWhole) keep(listed);
    return listed;
  }

  /** @param miss is called where the server does not answer. */
  async #entriesOf(
    server: WrappedServer,
    method: ListMethod,
    request: UpstreamRequest,
    miss: () => void,
  ): Promise<Listed[]> {
    const { entries, id } = lists[method];
    const listed: Listed[] = [];
    let cursor: unknown;
    for (let page = 0; page < wrapLimits.maxListPages; page += 1) {
      const params: JsonObject = typeof cursor === "string" ? { cursor } : {};
      const answer = await server.ask({ ...request, method, params }, true);
      if ("error" in answer) {
        server.note(`It is missing in an answer to ${method}. ${answer.error.message}`);
        miss();
        break;
      }
      const { [entries]: found, nextCursor } = answer.result;
      for (const entry of Array.isArray(found) ? found : []) {
        const own = isJsonObject(entry) ? entry[id] : undefined;
        if (isJsonObject(entry) && typeof own === "string") listed.push({ server, own, entry });
      }
      if (typeof nextCursor !== "string") break;
      cursor = nextCursor;
    }
    return listed;
  }
}

/** Each owner may have a server of its own, in each era. */
function keyOf(method: ListMethod, { owner, era }: UpstreamRequest): string {
  return JSON.stringify([method, era, owner]);
}

function isList(method: string): method is ListMethod {
  return Object.hasOwn(lists, method);
}

const notListed = { error: { code: rpcCodes.invalidParams, message: "No server lists it. Read the list again." } };

/** Whether a URI begins as those of a template do. */
const fits = (template: string, uri: string) => uri.startsWith(template.split("{")[0] ?? "");
