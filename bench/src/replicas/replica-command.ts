import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { built } from "../workers/run-isolated.js";

/** So few that calls wait for them, and are offered to other replicas. */
export const slots = { maxRunning: 3, maxRunningPerOwner: 2 };

/** What starts a replica, without the program of Node. */
export function replicaCommand(port: number, store: string): readonly string[] {
  const manifest = createRequire(import.meta.url).resolve("@resumable-mcp/server-http/package.json");
  const program = join(dirname(manifest), "dist", "cli.js");
  const tools = fileURLToPath(built("replicas/replica-tools-module.js"));
  const flags = { port, store, retry: "500ms", "max-running": slots.maxRunning };
  return [program, tools, ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)])];
}

/** What its environment says, in addition to its flags. */
export const replicaEnvironment = { RESUMABLE_MCP_MAX_RUNNING_PER_OWNER: String(slots.maxRunningPerOwner) };
