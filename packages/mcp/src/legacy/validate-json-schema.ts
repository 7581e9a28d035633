import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonObject, JsonSchemaValidator } from "@resumable-mcp/core";

type Check = (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };

/**
 * Makes the validator that `createEngine` needs for tools whose schema is plain JSON Schema, on the validator that
 * comes with the SDK. Each schema is compiled once.
 */
export function createJsonSchemaValidator(): JsonSchemaValidator {
  const provider = new AjvJsonSchemaValidator();
  const compiled = new WeakMap<JsonObject, Check>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? provider.getValidator(schema);
    compiled.set(schema, check);
    const { valid, errorMessage } = check(value);
    return valid ? [] : [errorMessage ?? "does not fit its schema"];
  };
}
