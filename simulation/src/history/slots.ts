import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { stepTimeoutMs } from "./check-steps.js";
import type { Evidence } from "./evidence.js";

/** Slots are free whatever is called: there are more of them than calls, or none is held for long. */
export function hasFreeSlots({ limits, tool, calls }: Evidence["plan"]): boolean {
  if (limitsTool(tool)) return false;
  return (limits.maxRunning ?? 0) >= 32 || calls.every(({ input }) => heldMs(operationsOf(input)) <= shortMs);
}

/** Whether a task may wait for others of its tool. */
export function limitsTool({
  maxRunning,
  maxRunningInStore,
  rate,
}: NonNullable<Evidence["plan"]["tool"]> = {}): boolean {
  return maxRunning !== undefined || maxRunningInStore !== undefined || rate !== undefined;
}

/** Work of a task that another one may wait for. */
const shortMs = 1_500;

/** How long a program holds its slot, without its waits. */
function heldMs(operations: readonly JsonObject[]): number {
  if (operations.length === 0) return Number.POSITIVE_INFINITY;
  return operations.reduce((sum, { op, ms, fails, hangs }) => {
    const ownMs = op === "work" || op === "stubborn" ? Number(ms) : hangs === true ? Number(fails) * stepTimeoutMs : 0;
    return sum + ownMs;
  }, 0);
}

/** What the input of a scripted task says that it does. */
export function operationsOf(input: Json | undefined): readonly JsonObject[] {
  const program = isJsonObject(input) ? input.program : undefined;
  return Array.isArray(program) ? program.filter(isJsonObject) : [];
}
