import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { wrapLimits } from "../limits.js";

/**
 * The extension by which a server of any language lets its calls continue. Provisional: the name belongs to the organisation that
 * publishes these packages. Source: docs/checkpoint-extension.md.
 */
export const checkpointExtension = "io.github.resumable-mcp/checkpoint";
/** The key in `_meta` of the request that is made again. */
const resumeKey = "io.github.resumable-mcp/resume";

/** What a server gives in a progress notification: where it continues, and what it has produced since the last one. */
export interface ServerCheckpoint {
  readonly state: string;
  readonly append?: readonly Json[];
}

/** Reads the checkpoint of a progress notification; a problem where it has one that breaks the rules. */
export function readCheckpoint({ _meta }: JsonObject): ServerCheckpoint | { readonly problem: string } | undefined {
  const given = isJsonObject(_meta) ? _meta[checkpointExtension] : undefined;
  if (given === undefined) return undefined;
  const { state, append } = isJsonObject(given) ? given : {};
  if (typeof state !== "string") return { problem: "its state is not a string" };
  if (state.length > wrapLimits.maxCheckpointLength)
    return { problem: `its state is longer than ${wrapLimits.maxCheckpointLength} characters` };
  if (append === undefined) return { state };
  const isContent = Array.isArray(append) && append.every((block) => typeof Object(block).type === "string");
  return isContent ? { state, append } : { problem: "append is not an array of content" };
}

/** What `_meta` of a request says that continues from a checkpoint. */
export function resumeMeta(state: string, attempt: number): JsonObject {
  return { [resumeKey]: { state, attempt } };
}
