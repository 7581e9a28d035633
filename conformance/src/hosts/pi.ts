import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Pi: JavaScript that needs a newer Node than this repository. Its model sees the tools of a server by name with `direct` alone. */
export const pi: Host = {
  name: "pi",
  package: "@earendil-works/pi-coding-agent",
  newerNode: true,
  lists: ([program = ""]) => [program, "mcp", "list"],
  launch(folder, { home, node, place, modelUrl, limitSeconds }, prompt) {
    const api = { baseUrl: `${modelUrl}/v1`, api: "openai-completions", apiKey: "none" };
    const models = { providers: { scripted: { ...api, models: [{ id: "scripted" }] } } };
    const mcp = { mcpServers: { [serverName]: { ...server(place), timeout: limitSeconds, exposure: "direct" } } };
    const own = ".pi/agent";
    return {
      command: node,
      args: [
        join(folder, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
        ...["--provider", "scripted", "--model", "scripted", "--print", prompt],
      ],
      env: { PI_CODING_AGENT_DIR: join(home, own), PI_OFFLINE: "1", PI_TELEMETRY: "0" },
      files: { [`${own}/models.json`]: JSON.stringify(models), [`${own}/mcp.json`]: JSON.stringify(mcp) },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  return { url: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}
