import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Qwen Code: JavaScript that needs a newer Node than this repository. */
export const qwenCode: Host = {
  name: "qwen-code",
  package: "@qwen-code/qwen-code",
  newerNode: true,
  ownLimitSeconds: 300,
  lists: ([program = ""]) => [program, "mcp", "list"],
  launch(folder, { node, place, modelUrl, limitSeconds }, prompt) {
    const settings = {
      general: { enableAutoUpdate: false, checkpointing: { enabled: false } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "openai" } },
      model: { name: "scripted" },
      mcpServers: { [serverName]: { ...server(place), timeout: limitSeconds * 1_000, trust: true } },
    };
    return {
      command: node,
      args: [join(folder, "node_modules/@qwen-code/qwen-code/cli-entry.js"), "--approval-mode", "yolo", "-p", prompt],
      env: { OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" },
      files: { ".qwen/settings.json": JSON.stringify(settings) },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  return { httpUrl: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}
