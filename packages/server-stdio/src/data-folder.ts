import { homedir } from "node:os";
import { join } from "node:path";
import { type UserEnvironment, userFolder } from "@resumable-mcp/protocol/hosts";

/** The machine that this process runs on. */
export function environment(): UserEnvironment {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/**
 * The folder for a server's tasks in the user's data: hosts start servers in arbitrary working directories. Pure.
 */
export function dataFolder(serverName: string, environment: UserEnvironment): string {
  const name = serverName.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_") || "server";
  return join(userFolder("data", environment), "resumable-mcp", name);
}

/** The folder for what this program can make again, such as compiled code. Pure. */
export function cacheFolder(environment: UserEnvironment): string {
  // Windows has one folder for data and caches.
  return join(userFolder("cache", environment), "resumable-mcp", environment.platform === "win32" ? "Cache" : "");
}
