import { expect, test } from "vitest";
import { splitCommand as splitForClient } from "../../packages/client-tui/src/command-line/split-command.js";
import { hostFiles, hostNames } from "../../packages/client-tui/src/hosts/host-files.js";
import { hostFile, knownHosts } from "../../packages/server-stdio/src/hosts/host-config.js";
import { splitCommand as splitForServer } from "../../packages/server-stdio/src/split-command.js";

// The terminal client and the server's program know some things both, and neither may import the other.

const home = "/home/ada";
const surroundings = [
  { platform: "linux", env: {}, home },
  { platform: "linux", env: { XDG_CONFIG_HOME: "/etc/ada", CLAUDE_CONFIG_DIR: "/srv/claude" }, home },
  { platform: "linux", env: { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", VSCODE_PORTABLE: "" }, home },
  { platform: "linux", env: { VSCODE_PORTABLE: "/media/code" }, home },
  { platform: "darwin", env: { XDG_CONFIG_HOME: "/ignored" }, home: "/Users/ada" },
  { platform: "win32", env: {}, home: "/Users/ada" },
  { platform: "win32", env: { APPDATA: "/roaming" }, home: "/Users/ada" },
] as const;

test("the client imports from the files that the server's program installs into", () => {
  expect([...hostNames]).toEqual([...knownHosts]);
  for (const around of surroundings) {
    for (const host of knownHosts) {
      const installed = (["project", "user"] as const).map((scope) => hostFile(host, scope, around, "/projects/shop"));
      const imported = hostFiles(host, { ...around, workingDirectory: "/projects/shop" });
      expect(imported).toEqual(installed.filter((file) => file !== undefined));
    }
  }
});

const commands = [
  "npx server --flag",
  "  npx\tserver  ",
  `npx "two words" 'and more' mixed" "up`,
  `npx "" ''`,
  String.raw`npx one\ word "a \" quote" 'a \ backslash' C:\\tools`,
  "npx ends\\",
  `npx "it's" 'say "so"'`,
  "npx 'no end",
  'npx "no end',
  "npx 'no end\\",
  " ",
  "",
];

const outcome = (split: (command: string) => readonly string[], command: string) => {
  try {
    return split(command);
  } catch {
    return "refused";
  }
};

test.each(commands)("the command %j is the same words for the client and for the supervisor", (command) => {
  expect(outcome(splitForClient, command)).toEqual(outcome(splitForServer, command));
});

test("a command of two words is split, and an open quote is refused", () => {
  expect(outcome(splitForServer, "npx server")).toEqual(["npx", "server"]);
  expect(outcome(splitForServer, "npx 'no end")).toBe("refused");
});
