import { expect, test } from "vitest";
import { type HostEnvironment, hostFile, hostFiles, hostNames, serversKey, splitCommand } from "./hosts.js";

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
    ],
  ],
  [
    "on macOS, where XDG variables do not count",
    { platform: "darwin", home: "/Users/ada", env: { XDG_CONFIG_HOME: "/ignored" } },
    [
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "/Users/ada/.claude.json",
      "/Users/ada/.cursor/mcp.json",
      "/Users/ada/Library/Application Support/Code/User/mcp.json",
    ],
  ],
  [
    "where variables name other folders",
    { env: { XDG_CONFIG_HOME: "/etc/ada", CLAUDE_CONFIG_DIR: "/srv/claude", VSCODE_PORTABLE: "/mnt/code" } },
    [
      "/etc/ada/Claude/claude_desktop_config.json",
      "/srv/claude/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/mnt/code/user-data/User/mcp.json",
    ],
  ],
  [
    "where the variables are empty",
    { env: { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", VSCODE_PORTABLE: "" } },
    [
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/home/ada/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/home/ada/.config/Code/User/mcp.json",
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
  ]);
  expect(hostNames.map(serversKey)).toEqual(["mcpServers", "mcpServers", "mcpServers", "servers"]);
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
