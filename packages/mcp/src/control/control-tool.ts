import type { JsonObject } from "@resumable-mcp/core";
import {
  type ControlInput,
  type ControlToolFacts,
  type ControlToolName,
  checkControlInput,
  controlInputs,
  controlToolFacts,
  metaKeys,
} from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { namesCaller, withClientId } from "../call/session-client.js";
import type { ToolResult } from "../call/tool-result.js";

/** A tool by which callers speak about tasks. */
export interface ControlTool extends ControlToolFacts {
  readonly name: ControlToolName;
  inputSchema(): JsonObject;
  run(call: Call, input: unknown): Promise<ToolResult>;
}

/** Defines what a control tool does; its input is checked before `run` sees it. */
export function controlTool<Name extends ControlToolName>(
  name: Name,
  run: (call: Call, input: ControlInput<Name>) => Promise<ToolResult>,
): ControlTool {
  const listed = withClientId(controlInputs[name]);
  return {
    name,
    ...controlToolFacts[name],
    inputSchema: () => listed,
    run: async (call, value) => {
      const checked = checkControlInput(name, value);
      if ("input" in checked) return run(call, checked.input);
      throw new InvalidArguments(`The arguments do not fit: ${checked.problems.join("; ")}.`);
    },
  };
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
