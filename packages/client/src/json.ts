import type { Json, JsonObject } from "@resumable-mcp/protocol";
import { z } from "zod";

const json = z.json();

/** Checks that an object came as JSON. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** Parses a value that came over the wire; what JSON cannot hold becomes `null`. */
export function toJson(value: unknown): Json {
  const { success, data } = json.safeParse(value);
  return success ? data : null;
}

/** Parses a text that should be JSON; `undefined` where it is not. */
export function toJsonText(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Parses an object that came over the wire; anything else becomes an empty one. */
export function toJsonObject(value: unknown): JsonObject {
  const { success, data } = jsonObjectSchema.safeParse(value);
  return success ? data : {};
}
