import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** Codex: its package starts the program of the platform's package. */
export const codex: Host = {
  name: "codex",
  package: "@openai/codex",
  lists: ([program = ""]) => [program, "mcp", "list"],
  launch(folder, { home, node, place, modelUrl, limitSeconds }, prompt) {
    const config = `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = ${JSON.stringify(`${modelUrl}/v1`)}
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[mcp_servers.${serverName}]
${server(place)}
required = true
default_tools_approval_mode = "approve"
tool_timeout_sec = ${limitSeconds}
`;
    return {
      command: node,
      args: [join(folder, "node_modules/@openai/codex/bin/codex.js"), "exec", "--skip-git-repo-check", prompt],
      env: {
        CODEX_HOME: join(home, ".codex"),
        SCRIPTED_KEY: "none",
        ...(place.over === "HTTP" ? { SERVER_TOKEN: place.token } : {}),
      },
      files: { ".codex/config.toml": config },
    };
  },
};

/** Strings and lists of strings are written in TOML as in JSON. */
function server(place: Place): string {
  if (place.over === "HTTP") return `url = "${place.url.href}"\nbearer_token_env_var = "SERVER_TOKEN"`;
  return `command = ${JSON.stringify(place.command)}\nargs = ${JSON.stringify(place.args)}`;
}
