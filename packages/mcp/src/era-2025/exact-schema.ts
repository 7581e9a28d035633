import type { JsonObject } from "@resumable-mcp/core";
import { z } from "zod";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * Makes a zod schema that lets every object through and is listed as exactly the given JSON Schema.
 *
 * The engine checks values itself, by the tool's own schema, whatever library that came from; the SDK only needs
 * something to list. Source: MCP, Tools, "Listing Tools" (`inputSchema`, `outputSchema`).
 */
export function exactSchema(schema: () => JsonObject): z.ZodObject {
  const passing = z.looseObject({});
  passing._zod.toJSONSchema = () => structuredClone({ $schema: dialect, ...schema() });
  return passing;
}
