import { type Engine, type JsonObject, ResumableError, type Tool } from "@resumable-mcp/core";
import { tasksExtension } from "@resumable-mcp/protocol";
import { z } from "zod";
import { traceRequests } from "../call/traced-requests.js";
import { panelNames } from "../control/panel.js";
import { registerEngine } from "../control/register-tools.js";
import { forSdk, isRegisteredTool } from "../sdk-workarounds.js";
import { makeAdapter } from "./adapter.js";
import type { Environment2026, Request2026 } from "./call-2026.js";
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
  const known = (context: Context2026): Request2026 => toRequest(mcp, { owner }, context);
  mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} }, resources: { subscribe: true } });
  registerEngine(mcp, engine, rest, {
    ...makeAdapter(environment, (name) => isRegisteredTool(mcp, name)),
    toRequest: known,
    configOf: (tool) => ({ inputSchema: headerSchema(tool) }),
  });
  for (const [method, run] of Object.entries(taskMethods(environment))) {
    const handler = (params: JsonObject, context: Context2026) => run(params, known(context), async () => ({}));
    mcp.server.setRequestHandler(method, forSdk({ params: z.looseObject({}) }), forSdk(handler));
  }
  traceRequests(
    mcp,
    ({ mcpReq: { id: requestId, _meta: meta }, http }: Context2026) => {
      const headers = http?.req && Reflect.get(http.req, "headers");
      return { requestId, meta, isStdio: http === undefined, headers };
    },
    panelNames(options),
  );
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
