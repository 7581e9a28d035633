import type { Engine, JsonObject, JsonSchemaValidator } from "@resumable-mcp/core";

type Check = (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };

/**
 * Makes a validator for tools whose schemas are plain JSON Schema: Ajv, as the SDK brings it. A schema without
 * `$schema` is of the dialect 2020-12.
 *
 * Ajv is loaded by the first check, and each schema is compiled once, by an instance of its own: one that checks
 * several schemas takes those of the same `$id` for one.
 *
 * Source: MCP 2025-11-25, Basic, "JSON Schema Usage".
 */
export function createJsonSchemaValidator(): JsonSchemaValidator {
  const compiled = new WeakMap<JsonObject, Check>();
  return async (schema, value) => {
    const check = compiled.get(schema) ?? (await compile(schema));
    compiled.set(schema, check);
    const { valid, errorMessage } = check(value);
    return valid ? [] : [errorMessage ?? "does not fit its schema"];
  };
}

const defaultValidator = createJsonSchemaValidator();

/** Gives an engine that is served the validator that it may lack. Whatever takes an engine to serve it calls this. */
export function bringValidator(engine: Engine): void {
  engine.useJsonSchemaValidator(defaultValidator);
}

async function compile(schema: JsonObject): Promise<Check> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/server/validators/ajv");
  return new AjvJsonSchemaValidator().getValidator(schema);
}
