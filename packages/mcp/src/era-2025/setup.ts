import { type Engine, ResumableError } from "@resumable-mcp/core";
import { maskHandlers } from "../call/mask-handlers.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { reserveNames } from "../control/register-tools.js";
import type { ServerDefinition } from "../define-server.js";
import type { jsonSchemaValidator, McpServer } from "../sdk-2025.js";
import { offered2025 } from "./initialize.js";

/**
 * Makes the SDK's server that the code of a definition's `setup` is given; `undefined` where it has none. It answers what is not
 * ours.
 *
 * The SDK is loaded here, when the first connection needs it.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` where it is not installed.
 */
export async function setupServer(
  definition: ServerDefinition,
  engine: Engine,
  options: Pick<RegisterToolsOptions<never>, "controlTools" | "prefix" | "maskThrown">,
): Promise<McpServer | undefined> {
  const { name, version, setup } = definition;
  if (setup === undefined) return undefined;
  const { McpServer, jsonSchemaValidator } = await loadSdk();
  const { tasks: _ours, ...capabilities } = offered2025;
  const server = new McpServer({ name, version }, { capabilities, jsonSchemaValidator });
  reserveNames(server, engine, options);
  if (options.maskThrown !== undefined) maskHandlers(server, options.maskThrown);
  await setup(server);
  return server;
}

async function loadSdk() {
  // Bundlers take what is awaited inside a `try` for optional.
  try {
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv");
    onDemand ??= { getValidator: (schema) => new AjvJsonSchemaValidator().getValidator(schema) };
    return { McpServer, jsonSchemaValidator: onDemand };
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    const message =
      "`setup` needs the package @modelcontextprotocol/sdk. Install it: npm install @modelcontextprotocol/sdk";
    throw new ResumableError("INVALID_OPTION", message, { details: { option: "setup" }, cause });
  }
}

/**
 * The SDK makes a validator for each server, for what users answer: half of all that an idle session would hold. Here
 * each question gets one of its own, so that no session sees what another's schema left in it by its `$id`.
 */
let onDemand: jsonSchemaValidator | undefined;
