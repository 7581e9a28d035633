import { resolve } from "node:path";
import { type Client, type OpenClientOptions, openClient } from "@resumable-mcp/client";

/** Opens the client of this program, which takes its id from the `session_state.json` of the working directory (feature 45). */
export function openProgramClient(
  options: Pick<OpenClientOptions, "servers" | "only" | "stateFile" | "clientId">,
): Promise<Client> {
  return openClient({ ...options, importFrom: resolve("session_state.json") });
}
