import { homedir } from "node:os";
import { join } from "node:path";

/** Where a user's state file is, unless another is named: one per user, in the folder that the platform has for it. */
export function defaultStateFile(environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  return join(stateFolder(environment, platform), "resumable-mcp", "client.json");
}

function stateFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (environment.XDG_STATE_HOME) return environment.XDG_STATE_HOME;
  if (platform === "win32") return environment.LOCALAPPDATA ?? join(homedir(), "AppData", "Local");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support");
  return join(homedir(), ".local", "state");
}
