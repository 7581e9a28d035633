import { isJsonObject, type JsonObject } from "@resumable-mcp/protocol";
import { z } from "zod";

/** Checks that an object of a file is JSON. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** What came over the wire was parsed as JSON; anything but an object counts as an empty one. */
export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
