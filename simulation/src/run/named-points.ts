import { observerPoints } from "@resumable-mcp/store-fs";

/** The named points at which processes die. */
export const namedPoints: readonly string[] = [
  ...observerPoints,
  "engine.attempt.started",
  "engine.attempt.ended",
  "engine.checkpoint.before",
  "engine.checkpoint.after",
];
