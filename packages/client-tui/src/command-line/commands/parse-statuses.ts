import type { TaskStatus } from "@resumable-mcp/client";
import { UsageError } from "../exit-code.js";

const statuses: readonly TaskStatus[] = [
  "pending",
  "running",
  "paused",
  "input_required",
  "completed",
  "failed",
  "cancelled",
];

/** Checks the statuses that `--status` names. */
export function parseStatuses(words: readonly string[]): readonly TaskStatus[] {
  return words.map((word) => {
    const status = statuses.find((known) => known === word);
    if (status === undefined) throw new UsageError(`There is no status ${word}. There are: ${statuses.join(", ")}.`);
    return status;
  });
}
