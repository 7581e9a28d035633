import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Cline's command line: its package for each platform holds one program. It lists no servers; a daemon would outlive it. */
export const cline: Host = {
  name: "cline",
  package: "cline",
  launch(folder, { place, modelUrl, limitSeconds }, prompt) {
    const provider = "openai-compatible";
    const settings = { provider, apiKey: "none", model: "scripted", baseUrl: `${modelUrl}/v1` };
    const entry = { settings, updatedAt: new Date(0).toISOString(), tokenSource: "manual" };
    const providers = { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } };
    const mcp = { mcpServers: { [serverName]: { ...server(place), timeout: limitSeconds } } };
    const own = ".cline/data/settings";
    const bare = {
      [`${own}/providers.json`]: JSON.stringify(providers),
      [`${own}/global-settings.json`]: JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }),
    };
    return {
      command: join(folder, "node_modules/@cline", `cli-${process.platform}-${process.arch}`, "bin/cline"),
      args: ["--provider", provider, "--model", "scripted", prompt],
      env: { CLINE_NO_AUTO_UPDATE: "1", CLINE_SESSION_BACKEND_MODE: "local" },
      bare,
      files: { ...bare, [`${own}/cline_mcp_settings.json`]: JSON.stringify(mcp) },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  return { type: "streamableHttp", url: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}
