import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../clients/server-under-test.js";
import { type Host, serverName } from "./host.js";

/** opencode: its package for each platform holds one program, with the provider of models in it. */
export const opencode: Host = {
  name: "opencode",
  package: "opencode-ai",
  lists: () => ["mcp", "list"],
  launch(folder, { place, modelUrl, limitSeconds }, prompt) {
    const models = { scripted: { name: "Scripted", tool_call: true } };
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "none" };
    const config = {
      autoupdate: false,
      share: "disabled",
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models } },
      mcp: { [serverName]: { ...server(place), enabled: true, timeout: limitSeconds * 1_000 } },
    };
    return {
      command: programIn(join(folder, "node_modules")),
      // A word with a space in it would reach the model in quotes.
      args: ["run", ...prompt.split(" ")],
      env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
      files: { ".config/opencode/opencode.json": JSON.stringify(config) },
    };
  },
};

function server(place: Place): object {
  if (place.over === "stdio") return { type: "local", command: [place.command, ...place.args] };
  return { type: "remote", url: place.url.href, headers: { Authorization: `Bearer ${place.token}` }, oauth: false };
}

/** The baseline build runs on every processor; not each platform has one. */
function programIn(modules: string): string {
  const builds = readdirSync(modules).filter((name) => /^opencode-(?!ai$)/.test(name));
  const build = builds.find((name) => name.endsWith("-baseline")) ?? builds[0] ?? "opencode";
  return join(modules, build, "bin", "opencode");
}
