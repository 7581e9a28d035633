import type { JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { z } from "zod";
import type { Call } from "../call/call.js";
import { lazily } from "../call/lazily.js";
import type { ToolResult } from "../call/tool-result.js";
import { namesCaller, withClientId } from "../owner/client-id-argument.js";

/** The names of the control tools; docs/control-tools.md. */
export type ControlToolName =
  | "get_task"
  | "wait_for_task"
  | "pause_task"
  | "resume_task"
  | "cancel_task"
  | "answer_task"
  | "delete_task"
  | "get_task_items"
  | "list_session_tasks"
  | "get_checkpoint_stats"
  | "get_session_info";

/** A tool by which callers speak about tasks. */
export interface ControlTool {
  readonly name: ControlToolName;
  readonly title: string;
  readonly description: string;
  readonly annotations: JsonObject;
  inputSchema(): JsonObject;
  run(call: Call, input: unknown): Promise<ToolResult>;
}

/** Defines a control tool by a zod schema, made when it is needed; its input is checked before `run` sees it. */
export function controlTool<Shape extends z.ZodRawShape>(definition: {
  readonly name: ControlToolName;
  readonly title: string;
  readonly description: string;
  readonly annotations: JsonObject;
  readonly input: () => z.ZodObject<Shape>;
  run(call: Call, input: z.output<z.ZodObject<Shape>>): Promise<ToolResult>;
}): ControlTool {
  const { run, input: makeInput, ...facts } = definition;
  const input = lazily(makeInput);
  return {
    ...facts,
    inputSchema: lazily(() => withClientId(listedSchema(input()))),
    run: async (call, value) => run(call, parse(input(), value)),
  };
}

function listedSchema(schema: z.ZodObject): JsonObject {
  const { $schema: _dialect, ...listed } = z.toJSONSchema(schema, { io: "input" });
  // zod describes its schemas in plain JSON.
  return listed as JsonObject;
}

/**
 * The `_meta` of a listed control tool: a call of one that only reads may be sent again from the journal. What changes a
 * task is repeated as its annotations allow.
 */
export function controlMeta({ readOnlyHint }: JsonObject): { readonly _meta: JsonObject } {
  return { _meta: { ...namesCaller, ...(readOnlyHint === true ? { [metaKeys.durable]: "journal" } : {}) } };
}

/** The arguments of a tool do not fit: the message names them. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  throw new InvalidArguments(`The arguments do not fit: ${problems.join("; ")}.`);
}
