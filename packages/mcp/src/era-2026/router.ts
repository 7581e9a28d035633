import {
  InMemoryServerEventBus,
  mergeCapabilities,
  ResourceNotFoundError,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { RpcError } from "../call/rpc-error.js";
import { tracedRequest } from "../call/traced-requests.js";
import { tellLocal } from "../control/instructions.js";
import type { Methods, RegisterToolsOptions } from "../control/methods.js";
import { ownMethods } from "../control/own-methods.js";
import { panelNames, panelOf } from "../control/panel.js";
import { listedTools } from "../control/tool-list.js";
import type { ServerDefinition } from "../define-server.js";
import type { VerifiedToken } from "../owner/owner.js";
import { sentenceOfIssues } from "../sdk-workarounds.js";
import { adapterOf, callForHandler } from "./adapter.js";
import { type CallOptions2026, type Environment2026, type Request2026, rightsOf } from "./call-2026.js";
import { discovery, offered2026, resultOnWire } from "./discovery.js";
import { storedSigningKey } from "./engine-state.js";
import type { Asking2026, Message2026 } from "./read-message.js";
import { SetupServer } from "./setup-server.js";
import { changeIn, Listener, notifierOf } from "./subscriptions/listener.js";
import { taskMethods } from "./tasks/task-methods.js";

/** How a definition is served to clients of the 2026 era. */
export interface RouterOptions extends Pick<CallOptions2026, "singleUser" | "handoff" | "prefix"> {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  /** The scope by which a token is an operator's. */
  readonly operatorScope?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Makes what callers see of what the code of `setup2026` threw. Default: the error itself. */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
  /** Subscriptions that are open at once. Default 8192. */
  readonly maxSubscriptions?: number | undefined;
  /** The same, of one owner. Default 128. */
  readonly maxSubscriptionsPerOwner?: number | undefined;
  /** Hears of what the code of `setup2026` sends outside a request, but for changes: those are for subscriptions. */
  readonly onOther?: ((message: JsonObject) => void) | undefined;
}

/** The SDK's schemas of what is answered here; those of the extension check their params themselves. */
const schemas = {
  "tools/list": specTypeSchemas.ListToolsRequest,
  "tools/call": specTypeSchemas.CallToolRequest,
  "resources/list": specTypeSchemas.ListResourcesRequest,
  "resources/templates/list": specTypeSchemas.ListResourceTemplatesRequest,
  "resources/read": specTypeSchemas.ReadResourceRequest,
  "prompts/list": specTypeSchemas.ListPromptsRequest,
  "prompts/get": specTypeSchemas.GetPromptRequest,
} as const;

/** Answers the requests of clients of the 2026 era: those for the engine's tools and tasks itself, all others by what `setup2026` gave. */
export class Router2026 {
  /** Serves subscriptions. */
  readonly listener: Listener;
  readonly #bus = new InMemoryServerEventBus();
  readonly #definition: ServerDefinition;
  readonly #options: RouterOptions & RegisterToolsOptions<Request2026>;
  readonly #environment: Environment2026;
  readonly #methods: Methods<Request2026>;
  readonly #toolNames: ReadonlySet<string>;
  readonly #isPanelTool: (name: string) => boolean;
  #building: Promise<SetupServer> | undefined;
  #setup: SetupServer | undefined;

  constructor({ definition, engine, operatorScope, ...options }: RouterOptions) {
    const { controlTools } = definition;
    const panel = panelOf(definition, operatorScope);
    this.#definition = definition;
    this.#options = { definition, engine, ...options, controlTools, panel };
    this.#environment = { engine, options: this.#options, signingKey: storedSigningKey(engine) };
    this.#methods = {
      ...ownMethods(
        engine,
        this.#options,
        adapterOf(this.#environment, (name) => this.#hasOwnTool(name)),
      ),
      ...taskMethods(this.#environment),
      "server/discover": async (_params, request) => this.#discover(request),
    };
    const { prefix = "" } = options;
    this.#toolNames = listedTools(engine, { listed: controlTools ?? "minimal", prefix }, false).names;
    const capabilities = () => this.#capabilities;
    this.listener = new Listener({ ...options, engine, server: definition, bus: this.#bus, capabilities });
    this.#isPanelTool = panelNames({ panel, controlTools, prefix });
  }

  /** Resolves when what `setup2026` gives is there. */
  async ready(): Promise<void> {
    if (this.#definition.setup2026 === undefined || this.#setup !== undefined) return;
    const { engine } = this.#options;
    this.#building ??= SetupServer.build(this.#definition, engine, this.#options, {
      changes: notifierOf(this.#bus),
      callTool: (tool, input, request) => callForHandler(this.#environment, tool, input, request),
      onOther: (message) => {
        const change = changeIn(message);
        if (change === undefined) this.#options.onOther?.(message);
        else this.#bus.publish(change);
      },
    });
    try {
      this.#setup = await this.#building;
    } finally {
      // The next request tries again.
      this.#building = undefined;
    }
  }

  get #capabilities(): JsonObject {
    const { mcp } = this.#setup ?? {};
    return {
      ...(mcp === undefined ? offered2026 : mergeCapabilities(mcp.server.getCapabilities(), offered2026)),
    } as JsonObject;
  }

  /** The schema of a tool's arguments; `undefined` for an unknown tool. */
  inputSchema(name: string): JsonObject | undefined {
    const tool = this.#options.engine.tools.find((one) => one.name === name);
    return tool?.inputJsonSchema ?? (this.#setup?.mcp.toolInputSchemaJson(name) as JsonObject | undefined);
  }

  /** What the code of `setup2026` demands of the token of a request, where that has too few scopes. */
  async challenge(message: Asking2026, token: VerifiedToken | undefined): Promise<Response | undefined> {
    return this.#setup?.challenge(message, token);
  }

  async answer({ method, params }: Pick<Message2026, "method" | "params">, request: Request2026): Promise<JsonObject> {
    const setup = this.#setup;
    const own = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (own === undefined && setup === undefined) throw new RpcError(rpcCodes.methodNotFound, "Method not found");
    const next = async () => setup?.ask(request, method, params) ?? withoutSetup(method, params);
    const run = async (): Promise<object> => {
      if (own === undefined) return next();
      checkParams(method, params);
      return own(params, request, next);
    };
    const { id: requestId, meta, http } = request;
    const origin = { requestId, meta, isStdio: http === undefined, headers: http?.headers };
    const result = await tracedRequest(method, this.#toolOf(method, params), origin, run);
    return resultOnWire(method, result, this.#definition);
  }

  #discover(request: Request2026): JsonObject {
    const { token, locality } = rightsOf(this.#options, request);
    const answer = discovery(this.#definition, this.#capabilities);
    return token === undefined && locality.local ? tellLocal(answer) : answer;
  }

  #hasOwnTool(name: string): boolean {
    return this.#setup?.mcp.toolInputSchemaJson(name) !== undefined;
  }

  /** The called tool, for traces: names that callers make up are none. */
  #toolOf(method: string, { name }: JsonObject): string | undefined {
    if (method !== "tools/call" || typeof name !== "string") return undefined;
    return this.#toolNames.has(name) || this.#hasOwnTool(name) || this.#isPanelTool(name) ? name : undefined;
  }
}

function checkParams(method: string, params: JsonObject): void {
  // The calls of tools are many, and their arguments large.
  if (method === "tools/call" && typeof params.name === "string" && isJsonObject(params.arguments ?? {})) return;
  const schema: (typeof schemas)[keyof typeof schemas] | undefined = Object.hasOwn(schemas, method)
    ? schemas[method as keyof typeof schemas]
    : undefined;
  const checked = schema?.["~standard"].validate({ method, params });
  if (checked === undefined || !("issues" in checked) || checked.issues === undefined) return;
  throw new RpcError(rpcCodes.invalidParams, `Invalid params: ${sentenceOfIssues(checked.issues)}.`);
}

/** What a server answers that has nothing of its author's. */
function withoutSetup(method: string, { name, uri }: JsonObject): JsonObject {
  switch (method) {
    case "tools/list":
      return { tools: [] };
    case "resources/list":
      return { resources: [] };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "prompts/list":
      return { prompts: [] };
    case "resources/read":
      throw notFound(String(uri));
    default:
      throw new RpcError(
        rpcCodes.invalidParams,
        `${method === "prompts/get" ? "Prompt" : "Tool"} ${String(name)} not found`,
      );
  }
}

function notFound(uri: string): RpcError {
  const { message } = new ResourceNotFoundError(uri);
  return new RpcError(rpcCodes.invalidParams, message, { uri });
}

/** What answers the requests of an endpoint or a connection. */
export type Answers2026 = Pick<Router2026, "listener" | "ready" | "inputSchema" | "challenge" | "answer">;
