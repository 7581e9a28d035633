import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";

/** What `_meta` of a listed tool says when the tool's argument `client_id` names its caller. */
export const namesCaller: JsonObject = { [metaKeys.clientId]: "argument" };

/** Adds the argument `client_id` to what is listed. */
export function withClientId(schema: JsonObject): JsonObject {
  const properties = typeof schema.properties === "object" ? schema.properties : {};
  const description = "Set by the client program, to find its tasks again. Do not invent one.";
  return { ...schema, properties: { ...properties, client_id: { type: "string", description } } };
}

/** Takes the argument `client_id` out of a tool's input. */
export function splitClientId(input: JsonObject): {
  readonly clientId: string | undefined;
  readonly rest: JsonObject;
} {
  const { client_id: _given, ...rest } = input;
  return { clientId: clientIdArgument(input), rest };
}

/** Reads the argument `client_id`; an empty one counts as absent, since models fill in what they do not know. */
export function clientIdArgument(input: unknown): string | undefined {
  const given = isJsonObject(input) ? input.client_id : undefined;
  return typeof given === "string" && given !== "" ? given : undefined;
}
