import { setTimeout } from "node:timers/promises";

/** Waits so that a person can watch. An attempt that has to stop is not kept waiting. */
export async function pace(delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs > 0) await setTimeout(delayMs, undefined, { signal });
}

/** The longest pace that a caller may ask for, in milliseconds. */
export const maxDelayMs = 60_000;
