import { writeSync } from "node:fs";
import { isResumableError } from "@resumable-mcp/core";
import type { KillPoint } from "./kill-plan.js";
import type { LifeLine } from "./life.js";
import { eventNow, type Note } from "./storm-history.js";

/** Reports a line of this process. */
export function tell(line: LifeLine): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let sent = 0; sent < bytes.byteLength; ) sent += writeSome(bytes.subarray(sent));
}

/** The reader may be slower than this process: a full pipe takes nothing for a while. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0;
    throw error;
  }
}

let hasWorked = false;

/** Reports what a tool did. */
export const tellNote: Note = (kind, facts) => {
  hasWorked ||= kind === "attempt";
  tell({ kind: "noted", event: eventNow(kind, facts) });
};

/** Reports an error that an engine or a client says of itself. */
export function tellError(error: unknown): void {
  tell({ kind: "error", code: isResumableError(error) ? error.code : "none", text: String(error) });
}

/** An observer that kills this process at the point, in the middle of whatever it was doing, once an attempt has begun. */
export function dieAt(point: KillPoint | undefined): (name: string) => void {
  let hits = 0;
  return (name) => {
    if (name !== point?.name || !hasWorked) return;
    hits += 1;
    if (hits < point.hits) return;
    tell({ kind: "dies", point: name });
    process.kill(process.pid, "SIGKILL");
  };
}
