import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type HostEnvironment,
  hostFile,
  hostFiles,
  hostFormat,
  hostNames,
  serversKey,
  splitCommand,
  userFolder,
} from "./hosts.js";

const linux: HostEnvironment = { platform: "linux", env: {}, home: "/home/ada", workingDirectory: "/srv/shop" };

test.each<[string, Partial<HostEnvironment>, readonly string[]]>([
  [
    "on Linux",
    {},
    [
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/home/ada/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/home/ada/.config/Code/User/mcp.json",
      "/home/ada/.codex/config.toml",
      "/home/ada/.gemini/settings.json",
      "/home/ada/.codeium/windsurf/mcp_config.json",
      "/home/ada/.config/zed/settings.json",
      "/home/ada/.config/goose/config.yaml",
      "/home/ada/.config/opencode/opencode.json",
      "/home/ada/.qwen/settings.json",
      "/home/ada/.continue/config.yaml",
      "/home/ada/.pi/agent/mcp.json",
      "/home/ada/.cline/data/settings/cline_mcp_settings.json",
    ],
  ],
  [
    "on macOS",
    { platform: "darwin", home: "/Users/ada" },
    [
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "/Users/ada/.claude.json",
      "/Users/ada/.cursor/mcp.json",
      "/Users/ada/Library/Application Support/Code/User/mcp.json",
      "/Users/ada/.codex/config.toml",
      "/Users/ada/.gemini/settings.json",
      "/Users/ada/.codeium/windsurf/mcp_config.json",
      "/Users/ada/.config/zed/settings.json",
      "/Users/ada/.config/goose/config.yaml",
      "/Users/ada/.config/opencode/opencode.json",
      "/Users/ada/.qwen/settings.json",
      "/Users/ada/.continue/config.yaml",
      "/Users/ada/.pi/agent/mcp.json",
      "/Users/ada/.cline/data/settings/cline_mcp_settings.json",
    ],
  ],
  [
    "where variables name other folders",
    {
      env: {
        XDG_CONFIG_HOME: "/etc/ada",
        CLAUDE_CONFIG_DIR: "/srv/claude",
        VSCODE_PORTABLE: "/mnt/code",
        CODEX_HOME: "/srv/codex",
        CONTINUE_GLOBAL_DIR: "/srv/continue",
        PI_CODING_AGENT_DIR: "/srv/pi",
        CLINE_DIR: "/srv/cline",
      },
    },
    [
      "/etc/ada/Claude/claude_desktop_config.json",
      "/srv/claude/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/mnt/code/user-data/User/mcp.json",
      "/srv/codex/config.toml",
      "/home/ada/.gemini/settings.json",
      "/home/ada/.codeium/windsurf/mcp_config.json",
      "/etc/ada/zed/settings.json",
      "/etc/ada/goose/config.yaml",
      "/etc/ada/opencode/opencode.json",
      "/home/ada/.qwen/settings.json",
      "/srv/continue/config.yaml",
      "/srv/pi/mcp.json",
      "/srv/cline/data/settings/cline_mcp_settings.json",
    ],
  ],
  [
    "where the variables are empty",
    {
      env: { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", VSCODE_PORTABLE: "", CODEX_HOME: "", CONTINUE_GLOBAL_DIR: "" },
    },
    [
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/home/ada/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/home/ada/.config/Code/User/mcp.json",
      "/home/ada/.codex/config.toml",
      "/home/ada/.gemini/settings.json",
      "/home/ada/.codeium/windsurf/mcp_config.json",
      "/home/ada/.config/zed/settings.json",
      "/home/ada/.config/goose/config.yaml",
      "/home/ada/.config/opencode/opencode.json",
      "/home/ada/.qwen/settings.json",
      "/home/ada/.continue/config.yaml",
      "/home/ada/.pi/agent/mcp.json",
      "/home/ada/.cline/data/settings/cline_mcp_settings.json",
    ],
  ],
  [
    "on Windows",
    { platform: "win32", home: "/users/ada", env: { APPDATA: "/roaming" } },
    [
      "/roaming/Claude/claude_desktop_config.json",
      "/users/ada/.claude.json",
      "/users/ada/.cursor/mcp.json",
      "/roaming/Code/User/mcp.json",
      "/users/ada/.codex/config.toml",
      "/users/ada/.gemini/settings.json",
      "/users/ada/.codeium/windsurf/mcp_config.json",
      "/roaming/Zed/settings.json",
      "/roaming/Block/goose/config/config.yaml",
      "/users/ada/.config/opencode/opencode.json",
      "/users/ada/.qwen/settings.json",
      "/users/ada/.continue/config.yaml",
      "/users/ada/.pi/agent/mcp.json",
      "/users/ada/.cline/data/settings/cline_mcp_settings.json",
    ],
  ],
  [
    "on Windows without APPDATA",
    { platform: "win32", home: "/users/ada" },
    [
      "/users/ada/AppData/Roaming/Claude/claude_desktop_config.json",
      "/users/ada/.claude.json",
      "/users/ada/.cursor/mcp.json",
      "/users/ada/AppData/Roaming/Code/User/mcp.json",
      "/users/ada/.codex/config.toml",
      "/users/ada/.gemini/settings.json",
      "/users/ada/.codeium/windsurf/mcp_config.json",
      "/users/ada/AppData/Roaming/Zed/settings.json",
      "/users/ada/AppData/Roaming/Block/goose/config/config.yaml",
      "/users/ada/.config/opencode/opencode.json",
      "/users/ada/.qwen/settings.json",
      "/users/ada/.continue/config.yaml",
      "/users/ada/.pi/agent/mcp.json",
      "/users/ada/.cline/data/settings/cline_mcp_settings.json",
    ],
  ],
])("the user's files of the hosts, %s", (_where, changed, files) => {
  expect(hostNames.map((host) => hostFile(host, "user", { ...linux, ...changed }))).toEqual(files);
});

test("the files of a host, that of the project first", () => {
  expect(hostNames.map((host) => hostFiles(host, linux))).toEqual([
    ["/home/ada/.config/Claude/claude_desktop_config.json"],
    ["/srv/shop/.mcp.json", "/home/ada/.claude.json"],
    ["/srv/shop/.cursor/mcp.json", "/home/ada/.cursor/mcp.json"],
    ["/srv/shop/.vscode/mcp.json", "/home/ada/.config/Code/User/mcp.json"],
    ["/srv/shop/.codex/config.toml", "/home/ada/.codex/config.toml"],
    ["/srv/shop/.gemini/settings.json", "/home/ada/.gemini/settings.json"],
    ["/home/ada/.codeium/windsurf/mcp_config.json"],
    ["/home/ada/.config/zed/settings.json"],
    ["/home/ada/.config/goose/config.yaml"],
    ["/srv/shop/opencode.json", "/home/ada/.config/opencode/opencode.json"],
    ["/srv/shop/.qwen/settings.json", "/home/ada/.qwen/settings.json"],
    ["/home/ada/.continue/config.yaml"],
    ["/srv/shop/.pi/mcp.json", "/home/ada/.pi/agent/mcp.json"],
    ["/home/ada/.cline/data/settings/cline_mcp_settings.json"],
  ]);
  const json = ["claude-desktop", "claude-code", "cursor", "gemini-cli", "windsurf", "qwen-code", "continue"] as const;
  expect(new Set(json.map(serversKey))).toEqual(new Set(["mcpServers"]));
  const others = ["vscode", "codex", "zed", "goose", "opencode"] as const;
  expect(others.map((host) => [serversKey(host), hostFormat(host)])).toEqual([
    ["servers", "json"],
    ["mcp_servers", "toml"],
    ["context_servers", "json"],
    ["extensions", "yaml"],
    ["mcp", "json"],
  ]);
  expect(hostFormat("continue")).toBe("yaml-list");
});

test.each<[string, readonly string[] | undefined]>([
  ["npx server --flag", ["npx", "server", "--flag"]],
  ["  npx\tserver  ", ["npx", "server"]],
  [`npx "two words" 'and more' mixed" "up`, ["npx", "two words", "and more", "mixed up"]],
  [`npx "" ''`, ["npx", "", ""]],
  [
    String.raw`npx one\ word "a \" quote" 'a \ backslash' C:\\tools`,
    ["npx", "one word", 'a " quote', String.raw`a \ backslash`, String.raw`C:\tools`],
  ],
  ["npx ends\\", ["npx", "ends\\"]],
  [`npx "it's" 'say "so"'`, ["npx", "it's", 'say "so"']],
  ["npx 'no end", undefined],
  ['npx "no end', undefined],
  ["npx 'no end\\", undefined],
  [" ", undefined],
  ["", undefined],
])("the words of the command %j", (command, words) => {
  expect(splitCommand(command)).toEqual(words);
});

test.each([
  ["linux", {}, "data", join("/home/ada", ".local/share")],
  ["linux", { XDG_STATE_HOME: "/state" }, "state", "/state"],
  ["linux", { XDG_CACHE_HOME: "cache" }, "cache", join("/home/ada", ".cache")],
  ["darwin", {}, "data", join("/home/ada", "Library", "Application Support")],
  ["darwin", {}, "cache", join("/home/ada", "Library", "Caches")],
  ["win32", { LOCALAPPDATA: "/local" }, "data", "/local"],
  ["win32", {}, "state", join("/home/ada", "AppData", "Local")],
] as const)("on %s with %j, %s of a user are in %s", (platform, env, kind, folder) => {
  expect(userFolder(kind, { platform, env, home: "/home/ada" })).toBe(folder);
});
