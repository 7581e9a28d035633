import { type ContentBlock, isJsonObject, type JsonObject, type TaskContext, type Tool } from "@resumable-mcp/core";
import { wrapLimits } from "../limits.js";
import type { CallState } from "./plan.js";
import { type CallParts, runCall } from "./run-call.js";

/** The tool of an engine that is one call of another server's tool. @param version of its own for each server that the call may not move to. */
export function mirroredTool(parts: CallParts, version: string): Tool {
  const { entry, name } = parts;
  const { title, description, annotations, inputSchema } = entry;
  const inputJsonSchema = isJsonObject(inputSchema) ? inputSchema : { type: "object" };
  return {
    name,
    description: typeof description === "string" ? description : "",
    ...(typeof title === "string" && { title }),
    ...(isJsonObject(annotations) && { annotations }),
    kind: "generator",
    version,
    // Its server checks what it is called with, and says what is wrong in its own words.
    input: {
      "~standard": {
        version: 1,
        vendor: "upstream",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => inputJsonSchema, output: () => inputJsonSchema },
      },
    },
    inputJsonSchema,
    onFailure: "restart",
    // JSON takes up to six bytes for a character.
    limits: {
      maxOutputBytes: 2 * wrapLimits.maxOutputBytes,
      maxAppendBytes: wrapLimits.maxAppendedBytes,
      maxItemsBytes: wrapLimits.maxAppendedBytes,
      maxStateBytes: 2 * 7 * wrapLimits.maxCheckpointLength,
    },
    mirrors: { ...entry, name },
    content: (): readonly ContentBlock[] => [],
    run: (input, task) =>
      runCall(parts, isJsonObject(input) ? input : {}, task as TaskContext<CallState | null, JsonObject[string]>),
  };
}
