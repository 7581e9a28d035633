// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of the hosts look like that.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type HostEnvironment, hostFiles } from "@resumable-mcp/protocol/hosts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expandVariables, importableHosts, readHostServers } from "./host-servers.js";

let home: string;
let environment: HostEnvironment;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hosts-"));
  environment = { platform: "linux", env: { API_KEY: "k-1" }, home, workingDirectory: join(home, "project") };
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

async function put(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe("the servers of hosts", () => {
  it("are found in the files of all four, with comments, trailing commas and a byte order mark", async () => {
    const files = [
      await put(
        ".config/Claude/claude_desktop_config.json",
        '\uFEFF{"globalShortcut": "", "mcpServers": {"files": {"command": "npx", "args": ["-y", "files", "/data"], "env": {"KEY": "${API_KEY}"}}}}',
      ),
      await put(
        "project/.mcp.json",
        '{"mcpServers": {"docs": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${API_KEY}"}}}}',
      ),
      await put(
        ".cursor/mcp.json",
        '{\n  // the team\'s\n  "mcpServers": {\n    "web": { "url": "http://127.0.0.1:9/mcp", }, /* more to come */\n  },\n}',
      ),
      await put(
        "project/.vscode/mcp.json",
        '{"inputs": [], "servers": {"local": {"type": "stdio", "command": "node", "args": ["${workspaceFolder}/server.js"]}}}',
      ),
    ];
    const before = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const { servers, problems } = await readHostServers(importableHosts, environment);
    expect(problems).toEqual([]);
    expect(servers.map(({ host, name, config }) => ({ host, name, config }))).toEqual([
      {
        host: "claude-desktop",
        name: "files",
        config: { command: "npx", args: ["-y", "files", "/data"], env: { KEY: "k-1" } },
      },
      {
        host: "claude-code",
        name: "docs",
        config: { url: "https://example.com/mcp", headers: { Authorization: "Bearer k-1" } },
      },
      { host: "cursor", name: "web", config: { url: "http://127.0.0.1:9/mcp" } },
      { host: "vscode", name: "local", config: { command: "node", args: [join(home, "project", "server.js")] } },
    ]);
    expect(await Promise.all(files.map((file) => readFile(file, "utf8")))).toEqual(before);
  });

  it("of Claude Code are those of the user and those of the project that one is in", async () => {
    const projects = {
      [join(home, "project")]: { mcpServers: { here: { command: "here" } } },
      "/elsewhere": { mcpServers: { there: { command: "there" } } },
    };
    await put(".claude.json", JSON.stringify({ mcpServers: { mine: { command: "mine" } }, projects }));
    const { servers } = await readHostServers(["claude-code"], environment);
    expect(servers.map(({ name }) => name)).toEqual(["mine", "here"]);
  });

  it.each([
    ["an entry that names nothing", { x: {} }, "it names neither a command nor a URL"],
    ["a secret that only the host can ask for", { x: { url: "${input:url}" } }, "it needs a value for input:url"],
    ["a variable that is not set", { x: { command: "a", args: ["${OTHER}"] } }, "it needs a value for OTHER"],
    ["the old transport", { x: { type: "sse", url: "http://a/sse" } }, "it uses the old SSE transport"],
  ])("are shown with the reason where they cannot be used: %s", async (_name, servers, problem) => {
    await put("project/.vscode/mcp.json", JSON.stringify({ servers }));
    const found = await readHostServers(["vscode"], environment);
    expect(found.servers).toMatchObject([{ name: "x", problem: expect.stringContaining(problem) }]);
    expect(found.servers[0]?.config).toBeUndefined();
  });

  it.each([
    ["torn", '{"mcpServers": {"a"', 1],
    ["a list", "[]", 1],
    ["empty", "", 0],
    ["of another shape", '{"mcpServers": ["a"], "b": null}', 0],
  ])("in a file that is %s hinder nothing else", async (_name, text, problems) => {
    await put(".cursor/mcp.json", text);
    await put(".config/Claude/claude_desktop_config.json", '{"mcpServers": {"a": {"command": "a"}}}');
    const found = await readHostServers(["cursor", "claude-desktop"], environment);
    expect([found.servers.map(({ name }) => name), found.problems.length]).toEqual([["a"], problems]);
  });

  it("are looked for where the hosts' own variables say", () => {
    const moved = { ...environment, env: { CLAUDE_CONFIG_DIR: "/claude", VSCODE_PORTABLE: "/code" } };
    expect([hostFiles("claude-code", moved).at(-1), hostFiles("vscode", moved).at(-1)]).toEqual([
      join("/claude", ".claude.json"),
      join("/code", "user-data", "User", "mcp.json"),
    ]);
  });

  it("are looked for where each platform keeps them", () => {
    const mac = hostFiles("vscode", { ...environment, platform: "darwin" }).at(-1);
    const windows = hostFiles("claude-desktop", { ...environment, platform: "win32", env: { APPDATA: "/app" } });
    expect([mac, windows]).toEqual([
      join(home, "Library", "Application Support", "Code", "User", "mcp.json"),
      [join("/app", "Claude", "claude_desktop_config.json")],
    ]);
  });
});

describe("variables", () => {
  it.each([
    ["${API_KEY}", "k-1", []],
    ["${env:API_KEY}!", "k-1!", []],
    ["${NONE:-fallback}", "fallback", []],
    ["${userHome}/x", "/home/x", []],
    ["${input:key} ${NONE}", "${input:key} ${NONE}", ["input:key", "NONE"]],
    ["$API_KEY", "$API_KEY", []],
  ])("%s", (text, expanded, missing) => {
    const variables = { env: { API_KEY: "k-1" }, home: "/home", workingDirectory: "/work" };
    expect(expandVariables(text, variables)).toEqual({ text: expanded, missing });
  });
});
