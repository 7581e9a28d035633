import { invalidValue } from "../../errors.js";
import { canonicalJson, copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit } from "../../limits.js";
import { checkValue } from "../../tool/schema.js";
import type { Tool } from "../../tool/tool.js";
import type { StartRequest } from "../engine.js";
import type { Environment } from "../environment.js";

/** What a call is, and the deduplication key of its task. */
export interface KeyedCall {
  readonly tool: Tool;
  readonly input: Json;
  /** The same, as the tool's schema reads it. */
  readonly parsed: unknown;
  readonly key: string | null;
}

/** Checks a call and makes its deduplication key. @throws {@link ResumableError} as `OwnedTasks.start` does of the tool and its input. */
export async function keyedCall(
  parts: Pick<Environment, "tools" | "limits">,
  request: Pick<StartRequest, "tool" | "input" | "newTask">,
): Promise<KeyedCall> {
  const tool = parts.tools.require(request.tool);
  parts.tools.requireValidator(tool.name);
  const input = copyJson(request.input ?? {}, "input");
  checkLimit("maxInputBytes", jsonBytes(input), parts.limits.maxInputBytes);
  const checked = await checkValue(tool.input, input, parts.tools.validate);
  if (checked.problems !== undefined) throw invalidValue(`The input of ${tool.name}`, checked.problems);
  return { tool, input, parsed: checked.value, key: await keyOf(tool, checked.value, input, request.newTask) };
}

async function keyOf(tool: Tool, parsed: unknown, raw: Json, newTask: StartRequest["newTask"]): Promise<string | null> {
  if (newTask === true) return null;
  const whole = jsonOr(parsed, raw);
  const meaning = tool.key === undefined ? whole : copyJson(tool.key(parsed), `the key of tool ${tool.name}`);
  if (typeof newTask === "string") return taskKey(tool.name, meaning ?? whole, newTask);
  return tool.key !== undefined && meaning === null ? null : taskKey(tool.name, meaning);
}

/** Parsed input has its defaults filled in, so that leaving one out is the same call; some schemas make no JSON. */
function jsonOr(parsed: unknown, raw: Json): Json {
  try {
    return copyJson(parsed, "input");
  } catch {
    return raw;
  }
}

/**
 * Hashes what "the same call" means: SHA-256 over tool and canonical input, as 64 hexadecimal digits.
 *
 * @param run names one of several runs of the same call.
 */
export async function taskKey(tool: string, meaning: Json, run?: string): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(run === undefined ? [tool, meaning] : [tool, meaning, run]));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
