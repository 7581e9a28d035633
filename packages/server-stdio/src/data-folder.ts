import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { HostEnvironment } from "@resumable-mcp/protocol/hosts";

/** What the place of a user's files depends on. */
type Environment = Omit<HostEnvironment, "workingDirectory">;

/** The machine that this process runs on. */
export function environment(): Environment {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/**
 * The folder for a server's tasks in the user's data: hosts start servers in arbitrary working directories. Pure.
 */
export function dataFolder(serverName: string, { platform, env, home }: Environment): string {
  const name = serverName.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_") || "server";
  return join(userData(platform, env, home), "resumable-mcp", name);
}

function userData(platform: NodeJS.Platform, env: Environment["env"], home: string): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env.LOCALAPPDATA ?? join(home, "AppData", "Local");
  const { XDG_DATA_HOME } = env;
  // The XDG specification says that relative paths are to be ignored.
  return XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(home, ".local", "share");
}

/** The folder for what this program can make again, such as compiled code. Pure. */
export function cacheFolder({ platform, env, home }: Environment): string {
  if (platform === "darwin") return join(home, "Library", "Caches", "resumable-mcp");
  if (platform === "win32") return join(userData(platform, env, home), "resumable-mcp", "Cache");
  const { XDG_CACHE_HOME: cache } = env;
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(home, ".cache"), "resumable-mcp");
}
