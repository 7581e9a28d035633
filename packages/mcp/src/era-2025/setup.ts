import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import type { Engine } from "@resumable-mcp/core";
import { maskHandlers } from "../call/mask-handlers.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { reserveNames } from "../control/register-tools.js";
import type { ServerDefinition } from "../define-server.js";
import { offered2025 } from "./initialize.js";

/**
 * Makes the SDK's server that the code of a definition's `setup` is given; `undefined` where it has none. It answers what is not
 * ours.
 *
 * The SDK is loaded here, when the first connection needs it.
 */
export async function setupServer(
  definition: ServerDefinition,
  engine: Engine,
  options: Pick<RegisterToolsOptions<never>, "controlTools" | "prefix" | "maskThrown">,
): Promise<McpServer | undefined> {
  const { name, version, setup } = definition;
  if (setup === undefined) return undefined;
  const [{ McpServer }, jsonSchemaValidator] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    validatorOnDemand(),
  ]);
  const { tasks: _ours, ...capabilities } = offered2025;
  const server = new McpServer({ name, version }, { capabilities, jsonSchemaValidator });
  reserveNames(server, engine, options);
  if (options.maskThrown !== undefined) maskHandlers(server, options.maskThrown);
  await setup(server);
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
