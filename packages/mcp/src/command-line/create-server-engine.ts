import { createEngine, type Engine, type EngineOptions, isStandardSchema } from "@resumable-mcp/core";
import type { ServerDefinition } from "../define-server.js";

/** Makes the engine of a server's tools. A validator of JSON Schema is loaded only where a tool needs one. */
export async function createServerEngine(
  { tools }: ServerDefinition,
  options: Omit<EngineOptions, "tools" | "validateJsonSchema">,
): Promise<Engine> {
  const schemas = tools.flatMap(({ input, output, item }) => [input, output, item]);
  const needsValidator = schemas.some((schema) => schema !== undefined && !isStandardSchema(schema));
  if (!needsValidator) return createEngine({ ...options, tools });
  const { createJsonSchemaValidator } = await import("../legacy/validate-json-schema.js");
  return createEngine({ ...options, tools, validateJsonSchema: createJsonSchemaValidator() });
}
