import type { Engine, JsonObject } from "@resumable-mcp/core";
import { isAtLeast, rpcCodes } from "@resumable-mcp/protocol";
import { paramsOf } from "../call/call.js";
import { endingOf } from "../call/ending.js";
import { makeCarrier } from "../call/result-delivered.js";
import { RpcError } from "../call/rpc-error.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { reserveNames } from "../control/register-tools.js";
import { findHandler, forSdk, interceptRequests, isRegisteredTool } from "../sdk-workarounds.js";
import { type Connection2025, goneReason, type Request2025 } from "./call-2025.js";
import { OtherServer2025 } from "./other-server.js";
import { Router2025 } from "./router.js";
import { createClosedSignal, hasNoHandler, type RequestExtra, type Server2025 } from "./server-2025.js";
import { Watches } from "./watches.js";

/** How tools are registered at a server of the 2025 era. */
export interface RegisterOptions extends RegisterToolsOptions<RequestExtra> {}

const routers = new WeakMap<object, Router2025>();

/** What answers for an engine's tools at a server that has them. */
export function routerOf(server: object): Router2025 | undefined {
  return routers.get(server);
}

/**
 * Registers an engine's tools, and the tools that control their tasks, at a server of the 2025 era.
 *
 * Calls of the server's other tools are left alone. An engine without `validateJsonSchema` gets the validator of
 * `createJsonSchemaValidator`. Call it before the server is connected.
 *
 * Source: MCP 2025-11-25, Server Features, Tools.
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 * @example
 * const engine = createEngine({ store: createMemoryStore(), tools: [countWords] });
 * registerTools(server, engine, { controlTools: "all" });
 */
export function registerTools(server: Server2025, engine: Engine, options: RegisterOptions = {}): void {
  const low = server.server;
  const hasOwnPrompt = !reserveNames(server, engine, options);
  const router = new Router2025({ engine, options, hasOwnPrompt });
  const connection = connectionOf(server, options);
  const isFree = (methods: readonly string[]) => hasNoHandler(server, methods);
  const subscribe = isFree(["resources/subscribe", "resources/unsubscribe"]);
  const tasks = isFree(router.methods.filter((method) => method.startsWith("tasks/")));
  if (isFree(["logging/setLevel"])) low.registerCapabilities({ logging: {} });
  if (subscribe) low.registerCapabilities({ resources: { subscribe } });
  if (tasks) low.registerCapabilities({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  interceptRequests<RequestExtra>(low, (method, handler) => {
    const isOurs = router.methods.includes(method);
    // Behind a session that one asks for what is not ours.
    if (low.transport instanceof OtherServer2025) return handler ?? (isOurs ? async () => ({}) : undefined);
    if (!isOurs && handler === undefined) return undefined;
    return (request, extra) => router.answer(method, paramsOf(request), requestOf(low, connection, extra));
  });
  routers.set(server, router);
}

/** A connection of an SDK's server to its transport. */
function connectionOf(server: Server2025, { onError }: RegisterOptions): Connection2025 {
  const low = server.server;
  let least = "debug";
  return {
    get client() {
      return { name: low.getClientVersion()?.name, capabilities: low.getClientCapabilities() };
    },
    other: {
      async ask(request, method, params) {
        const handler = findHandler<RequestExtra>(low, method);
        if (handler === undefined) throw new RpcError(rpcCodes.methodNotFound, "Method not found");
        return { ...(await handler({ method, params }, forSdk(request ?? {}))) } as JsonObject;
      },
      hasTool: (name) => isRegisteredTool(server, name),
      hasMethod: (method) => findHandler(low, method) !== undefined,
    },
    watches: new Watches({
      tell: (notification) => low.notification(forSdk(notification)),
      closed: createClosedSignal(server),
      onError,
    }),
    wantsLog: (level) => isAtLeast(level, least),
    async setLevel(level) {
      least = level;
    },
  };
}

/** A request of a server's handler, in the words of this package. */
function requestOf(low: Server2025["server"], connection: Connection2025, extra: RequestExtra): Request2025 {
  const { signal, requestId } = extra;
  return {
    ...extra,
    ending: endingOf(signal),
    connection,
    carry: makeCarrier(low, requestId, "local"),
    // A request that ends with its connection was not cancelled by its caller.
    left: () => (signal.reason === goneReason || low.transport === undefined ? "gone" : "cancelled"),
  };
}
