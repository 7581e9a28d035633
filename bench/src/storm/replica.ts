import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "../kills/weather.js";
import { built } from "../workers/run-isolated.js";

/** So few that calls wait for them, and are offered to other replicas. */
export const runningAtOnce = { maxRunning: 3, maxRunningPerOwner: 2 };

/** What starts a replica, the same program on every store. */
export function replicaOn(store: string): Program {
  const manifest = createRequire(import.meta.url).resolve("@resumable-mcp/server-http/package.json");
  const program = join(dirname(manifest), "dist", "cli.js");
  const tools = fileURLToPath(built("storm/replica-tools-module.js"));
  const flags = { port: 0, store, "max-running": runningAtOnce.maxRunning };
  return {
    words: [program, tools, ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)])],
    environment: {
      RESUMABLE_MCP_RETRY: "500ms",
      RESUMABLE_MCP_MAX_RUNNING_PER_OWNER: String(runningAtOnce.maxRunningPerOwner),
    },
  };
}
