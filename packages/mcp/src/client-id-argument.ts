import type { JsonObject } from "@resumable-mcp/core";

/** Adds the argument `client_id` to what is listed. */
export function withClientId(schema: JsonObject): JsonObject {
  const properties = typeof schema.properties === "object" ? schema.properties : {};
  const description = "Set by the client program, to find its tasks again. Do not invent one.";
  return { ...schema, properties: { ...properties, client_id: { type: "string", description } } };
}

/** Takes the argument `client_id` out of a tool's input. */
export function splitClientId(input: Record<string, unknown>): {
  readonly clientId: string | undefined;
  readonly rest: Record<string, unknown>;
} {
  const { client_id: given, ...rest } = input;
  return { clientId: typeof given === "string" && given !== "" ? given : undefined, rest };
}
