import type { JsonObject } from "@resumable-mcp/core";
import type { PassingSchema } from "./server-2026.js";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** Makes a schema that is listed as exactly the given JSON Schema; the engine checks values itself. */
export function passingSchema(schema: () => JsonObject): PassingSchema {
  const listed = (): Record<string, unknown> => structuredClone({ $schema: dialect, ...schema() });
  return {
    "~standard": {
      version: 1,
      vendor: "resumable-mcp",
      // The SDK's types want the type of the value, which only the engine knows.
      validate: (value) => ({ value: (value ?? {}) as never }),
      jsonSchema: { input: listed, output: listed },
    },
  };
}
