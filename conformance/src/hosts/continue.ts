import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Continue's command line: one file of JavaScript. It lists no servers. */
export const continueCli: Host = {
  name: "continue",
  package: "@continuedev/cli",
  launch(folder, { home, node, place, modelUrl, limitSeconds }, prompt) {
    const model = {
      name: "Scripted",
      provider: "openai",
      model: "scripted",
      apiBase: `${modelUrl}/v1`,
      apiKey: "none",
    };
    const config = {
      name: "Scripted",
      version: "1.0.0",
      schema: "v1",
      models: [{ ...model, roles: ["chat"], capabilities: ["tool_use"] }],
    };
    const entry = { name: serverName, ...server(place), connectionTimeout: limitSeconds * 1_000 };
    const mcpServers = `mcpServers:\n  - ${yaml(entry).trim().replaceAll("\n", "\n    ")}\n`;
    const file = ".continue/config.yaml";
    return {
      command: node,
      args: [
        join(folder, "node_modules/@continuedev/cli/dist/cn.js"),
        ...["--config", join(home, file), "--auto", "--print", prompt],
      ],
      env: {
        CONTINUE_GLOBAL_DIR: join(home, ".continue"),
        CONTINUE_TELEMETRY_ENABLED: "0",
        CONTINUE_CLI_AUTO_UPDATED: "1",
      },
      bare: { [file]: yaml(config) },
      files: { [file]: yaml(config) + mcpServers },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  const requestOptions = { headers: { Authorization: `Bearer ${place.token}` } };
  return { type: "streamable-http", url: place.url.href, requestOptions };
}

/** A line for each property: JSON is YAML, and `install` changes lines. */
function yaml(config: object): string {
  return Object.entries(config)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}
