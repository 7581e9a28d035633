import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Gemini CLI: one file of JavaScript. */
export const geminiCli: Host = {
  name: "gemini-cli",
  package: "@google/gemini-cli",
  ownLimitSeconds: 600,
  lists: ([program = ""]) => [program, "mcp", "list"],
  launch(folder, { node, place, modelUrl, limitSeconds }, prompt) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      mcpServers: { [serverName]: { ...server(place), timeout: limitSeconds * 1_000, trust: true } },
    };
    return {
      command: node,
      args: [
        join(folder, "node_modules/@google/gemini-cli/bundle/gemini.js"),
        ...["--approval-mode", "yolo", "--model", "gemini-2.5-pro", "--prompt", prompt],
      ],
      env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_NO_RELAUNCH: "true" },
      files: { ".gemini/settings.json": JSON.stringify(settings) },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  return { httpUrl: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}
