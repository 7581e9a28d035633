import type { JsonObject } from "@resumable-mcp/client";
import { isJsonObject, type Json } from "@resumable-mcp/protocol";
import { withCommands } from "./advice.js";

/** The value as an object, or `undefined` for anything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** What an error says to a user of this program. */
export function errorMessage(error: unknown): string {
  return withCommands(error instanceof Error ? error.message : String(error));
}

/** A value for people: a text as it is, all else as JSON. */
export function toText(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
