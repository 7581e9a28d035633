import { observerPoints } from "@resumable-mcp/store-fs";

/** The named points of all packages, at which processes die. A test compares the list with the sources. */
export const namedPoints: readonly string[] = [
  ...observerPoints,
  "engine.attempt.started",
  "engine.attempt.ended",
  "engine.artifact.chunk",
  "engine.checkpoint.before",
  "engine.checkpoint.after",
  "result.ready",
  "result.sending",
  "result.sent",
  "result.delivered",
];
