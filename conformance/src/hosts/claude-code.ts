import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Claude Code: its package for each platform holds one program. */
export const claudeCode: Host = {
  name: "claude-code",
  package: "@anthropic-ai/claude-code",
  onlyNamed: true,
  cannot: { "HTTP kill-tool": "`--print` waits for the dead server until its own limit, and does not come back" },
  lists: () => ["mcp", "list"],
  launch(folder, { home, place, modelUrl, limitSeconds }, prompt) {
    const config = { mcpServers: { [serverName]: { ...server(place), timeout: limitSeconds * 1_000 } } };
    const file = "mcp.json";
    return {
      command: join(folder, "node_modules/@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude"),
      args: [
        ...["--print", prompt, "--mcp-config", join(home, file), "--strict-mcp-config"],
        ...["--model", "claude-sonnet-4-5", "--allowedTools", `mcp__${serverName}`],
      ],
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_AUTH_TOKEN: "none",
        CLAUDE_CONFIG_DIR: join(home, ".claude"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        ENABLE_TOOL_SEARCH: "false",
      },
      files: { [file]: JSON.stringify(config) },
      config: join(home, file),
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { type: "stdio", command: place.command, args: place.args };
  return { type: "http", url: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}
