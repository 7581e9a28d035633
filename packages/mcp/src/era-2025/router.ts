import { type Engine, isJsonObject, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { isLogLevel, logLevels, metaKeys, parseTaskUri, rpcCodes, showsApps } from "@resumable-mcp/protocol";
import { z } from "zod";
import { parseCallMeta } from "../call/call.js";
import { RpcError } from "../call/rpc-error.js";
import { runToolCall } from "../call/run-tool-call.js";
import { makeInstructions } from "../control/control-tools.js";
import { joinInstructions, tellLocal } from "../control/instructions.js";
import type { Method, Methods, RegisterToolsOptions } from "../control/methods.js";
import { ownMethods } from "../control/own-methods.js";
import { listedPanelTools } from "../control/panel-tools.js";
import { parseParams } from "../control/params.js";
import { Router } from "../control/router.js";
import { listedTools, ownToolNames } from "../control/tool-list.js";
import { upstreamServer } from "../control/upstream.js";
import type { ServerDefinition, Upstream } from "../define-server.js";
import { ownerOfToken } from "../owner/owner.js";
import { call2025, type Environment2025, isStdio, type Request2025, rightsOf2025 } from "./call-2025.js";
import { initializeResult, offered2025 } from "./initialize.js";
import type { RequestExtra } from "./server-2025.js";
import { type ToolFacts, type ToolKinds, toolKindsIn } from "./session/tool-kinds.js";
import { knowsTasks } from "./tasks/knows-tasks.js";
import { taskMethods, withTaskCalls } from "./tasks/task-methods.js";

type Options = RegisterToolsOptions<RequestExtra>;

/** What a router of the 2025 era is made of. */
export interface RouterOptions2025 {
  readonly engine: Engine;
  /** How the engine's tools are offered; absent: not at all. */
  readonly options?: Options | undefined;
  /** Absent where the server is one that its author made. */
  readonly definition?: ServerDefinition | undefined;
  /** That server has a prompt of the name of ours, which wins. */
  readonly hasOwnPrompt?: boolean;
}

/** Answers the requests of clients of the 2025 era. */
export class Router2025 extends Router<Request2025> {
  readonly #parts: RouterOptions2025;
  /** Of the tools that there were when it was asked last. */
  #kinds: { readonly tools: Engine["tools"]; readonly kinds: ToolKinds } | undefined;

  constructor(parts: RouterOptions2025) {
    const { engine, options, definition } = parts;
    const { upstream } = definition ?? {};
    const other =
      upstream &&
      options &&
      upstreamServer<Request2025>(upstream, "2025", (request) => call2025({ engine, options }, request));
    super({
      methods: options === undefined ? {} : methodsOf({ ...parts, options }),
      otherOf: ({ connection }) => other ?? connection.other,
      originOf: originOf2025,
      isOwnTool: options === undefined ? () => false : ownToolNames(engine, options),
    });
    this.#parts = parts;
  }

  /** What has to be known of a tool of ours. */
  factsOf(name: string): ToolFacts | undefined {
    const { engine, options } = this.#parts;
    if (options === undefined) return undefined;
    if (this.#kinds?.tools !== engine.tools) this.#kinds = { tools: engine.tools, kinds: kindsOf(engine, options) };
    return this.#kinds.kinds.get(name);
  }
}

/** Where a request comes from, for traces. */
function originOf2025(request: Request2025) {
  const { requestId, _meta: meta, requestInfo } = request;
  return { requestId, meta, isStdio: isStdio(request), headers: requestInfo && Reflect.get(requestInfo, "headers") };
}

function kindsOf(engine: Engine, { controlTools: listed = "minimal", prefix = "", panel }: Options) {
  const { shown } = listedTools(engine, { listed, prefix }, true);
  const hasPanel = panel !== undefined && listed !== "none";
  const ofPanel = hasPanel ? listedPanelTools.map((tool) => ({ ...tool, name: `${prefix}${tool.name}` })) : [];
  return toolKindsIn({ tools: [...shown, ...ofPanel], _meta: { [metaKeys.controlTools]: { listed, prefix } } });
}

function methodsOf({
  engine,
  options,
  definition,
  hasOwnPrompt,
}: RouterOptions2025 & { readonly options: Options }): Methods<Request2025> {
  const environment: Environment2025 = { engine, options };
  const own = ownMethods<Request2025, ReturnType<typeof call2025>>(engine, options, {
    call: (request, argument) => call2025(environment, request, argument),
    rightsOf: (request) => rightsOf2025(options, request),
    showsApps: ({ connection }) => showsApps(connection.client.capabilities),
    runTool: runToolCall,
    hasOwnTool: (name, { connection }) => connection.other?.hasTool(name) === true,
    hasOwnPrompt,
  });
  const yielding = { ...taskMethods(environment), ...subscriptionMethods(environment, definition?.upstream) };
  return {
    ...withTaskCalls(environment, own),
    ...Object.fromEntries(Object.entries(yielding).map(([method, run]) => [method, unlessOther(method, run)])),
    "logging/setLevel": setLevel,
    initialize: (params, request, next) => initialize(environment, definition, params, request, next),
    ping: async () => ({}),
  };
}

/** What the server's author answers comes first. */
function unlessOther(method: string, run: Method<Request2025>): Method<Request2025> {
  return (params, request, next) =>
    request.connection.other?.hasMethod(method) === true ? next() : run(params, request, next);
}

const uriParams = z.looseObject({ uri: z.string().max(1_024) });

/** Where the resources of another server pass through, it hears of subscriptions to them. */
function subscriptionMethods(environment: Environment2025, upstream: Upstream | undefined): Methods<Request2025> {
  return {
    async "resources/subscribe"(params, request) {
      const { uri } = parseParams(uriParams, params);
      const other = parseTaskUri(uri) === undefined ? upstream : undefined;
      await request.connection.watches.subscribe(uri, () => call2025(environment, request).tasks, other);
      return {};
    },
    async "resources/unsubscribe"(params, { connection }) {
      connection.watches.unsubscribe(parseParams(uriParams, params).uri);
      return {};
    },
  };
}

/** Source: MCP, Utilities, "Logging". */
const setLevel: Method<Request2025> = async ({ level }, { connection }, next) => {
  if (!isLogLevel(level)) {
    const known = logLevels.map((one) => JSON.stringify(one)).join(", ");
    throw new RpcError(rpcCodes.invalidParams, `Invalid params: level: It must be one of ${known}.`);
  }
  await connection.setLevel(level);
  // Its own messages keep to the level, too.
  return connection.other?.hasMethod("logging/setLevel") === true ? next() : {};
};

const initializeParams = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});

async function initialize(
  environment: Environment2025,
  definition: ServerDefinition | undefined,
  params: JsonObject,
  request: Request2025,
  next: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const { protocolVersion } = parseParams(initializeParams, params);
  const answer = await (async (): Promise<JsonObject> => {
    if (definition === undefined) return next();
    const instructions = await instructionsOf(environment, definition, request);
    if (request.connection.other !== undefined) {
      const { capabilities, ...given } = await next();
      return { ...given, capabilities: { tasks: offered2025.tasks, ...Object(capabilities) }, instructions };
    }
    return { ...initializeResult(definition, protocolVersion, instructions) };
  })();
  const { token, locality } = rightsOf2025(environment.options, request);
  const known = forVersion(answer);
  return token === undefined && locality.local ? tellLocal(known) : known;
}

/** For a client whose identity outlives its session they name its unfinished tasks; over stdio no store is opened for that. */
async function instructionsOf(
  environment: Environment2025,
  definition: ServerDefinition,
  request: Request2025,
): Promise<string> {
  if (isStdio(request)) return joinInstructions(definition);
  return makeInstructions(definition, lastingTasks(environment, request));
}

/** A session that is its own owner has only just begun, and owns nothing yet. */
function lastingTasks(environment: Environment2025, request: Request2025): OwnedTasks | undefined {
  const { clientId } = parseCallMeta(request._meta, false);
  const { locality } = rightsOf2025(environment.options, request);
  const isLasting = ownerOfToken(request.authInfo) !== undefined || clientId !== undefined || locality.local;
  return isLasting ? call2025(environment, request).tasks : undefined;
}

/** A client of an older version may refuse a capability that its version does not have. */
function forVersion(answer: JsonObject): JsonObject {
  const { capabilities, protocolVersion } = answer;
  if (knowsTasks(protocolVersion) || !isJsonObject(capabilities)) return answer;
  const { tasks: _tasks, ...older } = capabilities;
  return { ...answer, capabilities: older };
}
