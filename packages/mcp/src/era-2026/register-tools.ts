import { type Engine, type JsonObject, ResumableError, type Tool } from "@resumable-mcp/core";
import { tasksExtension } from "@resumable-mcp/protocol";
import { z } from "zod";
import { paramsOf } from "../call/call.js";
import { tellLocal } from "../control/instructions.js";
import type { Method } from "../control/methods.js";
import { ownMethods } from "../control/own-methods.js";
import { reserveNames, unreached } from "../control/register-tools.js";
import { Router } from "../control/router.js";
import { ownToolNames } from "../control/tool-list.js";
import { forSdk, interceptRequests, isRegisteredTool } from "../sdk-workarounds.js";
import { makeAdapter } from "./adapter.js";
import { type Environment2026, originOf2026, type Request2026, rightsFor } from "./call-2026.js";
import { storedSigningKey } from "./engine-state.js";
import { type Context2026, type RegisterOptions2026, type Server2026, toRequest } from "./server-2026.js";
import { taskMethods } from "./tasks/task-methods.js";

/**
 * Registers an engine's tools, the tools that control their tasks, and the tasks extension at a server of the 2026 era.
 *
 * Calls of the server's other tools are left alone. An engine without `validateJsonSchema` gets the validator of
 * `createJsonSchemaValidator`. Call it before the server is connected. What serves the server
 * has to be wrapped: `withTasks` over HTTP, `withStdioTasks` over stdio.
 *
 * Source: MCP 2026-07-28, Server Features, Tools; SEP-2663.
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function registerTools2026(mcp: Server2026, engine: Engine, options: RegisterOptions2026 = {}): void {
  const { requestStateKey, owner, ...rest } = options;
  const signingKey = requestStateKey ? givenKey(requestStateKey) : storedSigningKey(engine);
  const environment: Environment2026 = { engine, options: rest, signingKey };
  mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} }, resources: { subscribe: true } });
  const configOf = (tool: Tool) => ({ inputSchema: headerSchema(tool) });
  const hasOwnPrompt = !reserveNames(mcp, engine, rest, configOf);
  const hasTool = (name: string) => isRegisteredTool(mcp, name);
  const tasks = taskMethods(environment);
  const router = new Router<Registered>({
    methods: {
      ...ownMethods(engine, rest, { ...makeAdapter(environment, hasTool), hasOwnPrompt }),
      ...tasks,
      initialize: tellIfLocal(environment),
      "server/discover": tellIfLocal(environment),
    },
    otherOf: () => ({ ask: ({ next }) => next(), hasTool, hasMethod: () => true }),
    originOf: originOf2026,
    isOwnTool: ownToolNames(engine, rest),
  });
  for (const method of Object.keys(tasks))
    mcp.server.setRequestHandler(method, forSdk({ params: z.looseObject({}) }), forSdk(unreached));
  interceptRequests<Context2026>(mcp.server, (method, handler) => {
    if (handler === undefined) return undefined;
    return (request, context) => {
      const next = async () => ({ ...(await handler(request, context)) }) as JsonObject;
      return router.answer(method, paramsOf(request), { ...toRequest(mcp, { owner }, context), next });
    };
  });
}

/** A request, with what the server itself answers to it. */
interface Registered extends Request2026 {
  readonly next: () => Promise<JsonObject>;
}

/** What a server says of itself, with more for the user of its machine. */
function tellIfLocal({ options }: Environment2026): Method<Registered> {
  return async (_params, request, next) => {
    const { token, locality } = rightsFor(options, request);
    return token === undefined && locality.local ? tellLocal(await next()) : next();
  };
}

/** A schema by which the SDK checks the headers of a call's parameters, before it is answered here. Source: Standard JSON Schema. */
function headerSchema({ inputJsonSchema }: Tool): object {
  const jsonSchema = { input: () => inputJsonSchema, output: () => inputJsonSchema };
  return {
    "~standard": { version: 1, vendor: "resumable-mcp", validate: (value: unknown) => ({ value }), jsonSchema },
  };
}

function givenKey(key: Uint8Array): () => Promise<Uint8Array> {
  if (key.byteLength >= 32) return () => Promise.resolve(key);
  const message = `requestStateKey has ${key.byteLength} bytes. Use 32 or more, so that clients cannot guess it.`;
  throw new ResumableError("INVALID_OPTION", message, { details: { option: "requestStateKey" } });
}
