import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import type { Engine, OwnedTasks } from "@resumable-mcp/core";
import { maskHandlers } from "../call/mask-handlers.js";
import { makeInstructions } from "../control/control-tools.js";
import { panelOf } from "../control/panel.js";
import type { ServerDefinition } from "../define-server.js";
import { ownerOfToken, resolveOwner } from "../owner/owner.js";
import { tasksWithin } from "../owner/scopes.js";
import { type RegisterOptions, registerTools } from "./register-tools.js";
import type { CreateServer, SessionContext } from "./session/registry/session-registry.js";

/** How the tools of a definition are registered; the definition says which control tools there are, and whether a panel is. */
type OptionsOfServer = Omit<RegisterOptions, "controlTools" | "panel"> & {
  readonly operatorScope?: string | undefined;
};

/**
 * Makes a server of the 2025 era of a definition.
 *
 * The SDK is loaded here, when the first connection needs it.
 *
 * @param options.tasks whose unfinished tasks the instructions name, where that is known at the beginning.
 */
export async function createMcpServer(
  definition: ServerDefinition,
  engine: Engine,
  options: OptionsOfServer & { readonly tasks?: OwnedTasks } = {},
): Promise<McpServer> {
  const { name, version, setup } = definition;
  const { tasks, operatorScope, ...registration } = options;
  const [{ McpServer }, jsonSchemaValidator, instructions] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    validatorOnDemand(),
    makeInstructions(definition, tasks),
  ]);
  const capabilities = { logging: {} };
  const server = new McpServer({ name, version }, { instructions, capabilities, jsonSchemaValidator });
  const panel = panelOf(definition, operatorScope);
  registerTools(server, engine, { ...registration, panel, controlTools: definition.controlTools });
  if (options.maskThrown !== undefined) maskHandlers(server, options.maskThrown);
  await setup?.(server);
  return server;
}

/**
 * The SDK makes a validator for each server, for what users answer: half of all that an idle session would hold. Here
 * each question gets one of its own, so that no session sees what another's schema left in it by its `$id`.
 */
async function validatorOnDemand(): Promise<jsonSchemaValidator> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv");
  onDemand ??= { getValidator: (schema) => new AjvJsonSchemaValidator().getValidator(schema) };
  return onDemand;
}

let onDemand: jsonSchemaValidator | undefined;

/**
 * Makes the `createServer` of a session handler of a definition. For a client whose identity outlives its session, the
 * server's instructions name its unfinished tasks.
 */
export function serverFactory(
  definition: ServerDefinition,
  engine: Engine,
  options: OptionsOfServer = {},
): CreateServer {
  return (context) => {
    const owner = lastingOwner(context);
    const rights = { token: context.authInfo, locality: context.locality };
    const tasks = owner === undefined ? undefined : tasksWithin(engine, engine.forOwner(owner), rights);
    return createMcpServer(definition, engine, { ...options, tasks });
  };
}

/** A session that is its own owner has only just begun, and owns nothing yet. */
function lastingOwner({ sessionId, authInfo, clientId, locality }: SessionContext): string | undefined {
  const authenticated = ownerOfToken(authInfo);
  if (authenticated === undefined && clientId === undefined && !locality.local) return undefined;
  return resolveOwner({ authenticated, clientId, sessionId, locality });
}
