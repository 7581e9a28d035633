import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostName } from "@resumable-mcp/protocol/hosts";
import { expect, it, onTestFinished, test } from "vitest";
import { commandOf, unwrapServer, wrapServer } from "../src/hosts/wrap-server.js";

const files: readonly (readonly [HostName, string, string])[] = [
  [
    "claude-desktop",
    `{ // mine\n "mcpServers": {"a": {"command": "npx", "args": ["x"], "env": {"K": "v"}}}\n}\n`,
    "json",
  ],
  ["opencode", `{"mcp": {"a": {"type": "local", "command": ["npx", "x"], "environment": {"K": "v"}}}}`, "json"],
  [
    "codex",
    `model = "m" # mine\n\n[mcp_servers.a]\ncommand = "npx"\nargs = ["x"]\n[mcp_servers.a.env]\nK = "v"\n`,
    "toml",
  ],
  [
    "goose",
    `extensions:\n  a: # mine\n    name: a\n    type: stdio\n    cmd: npx\n    args:\n      - x\n    enabled: true\n`,
    "yaml",
  ],
  [
    "continue",
    `name: Mine\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: a\n    command: npx\n    args: [x]\n`,
    "yaml",
  ],
];

async function fileWith(text: string, extension: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "wrap-host-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, `config.${extension}`);
  await writeFile(file, text);
  return file;
}

const dialogue = { show: () => {}, confirm: async () => true };
const gateway = ["/somewhere/resumable-mcp/dist/cli.js", "--shared"] as const;

it.each(files)("wraps a server of %s, and gives the file back byte for byte", async (host, text, extension) => {
  const server = { host, name: "a", file: await fileWith(text, extension) };
  expect(await wrapServer(server, gateway, dialogue)).toBe("changed");
  expect(await commandOf(server)).toEqual([process.execPath, gateway[0], "wrap", "--shared", "--", "npx", "x"]);
  expect(await wrapServer(server, gateway, dialogue)).toBe("unchanged");
  expect(await unwrapServer(server, dialogue)).toBe("changed");
  expect(await readFile(server.file, "utf8")).toBe(text);
  expect(await unwrapServer(server, dialogue)).toBe("unchanged");
});

it.each(files)(
  "takes options that depend on how %s starts the server, and the way back stays",
  async (host, text, extension) => {
    const server = { host, name: "a", file: await fileWith(text, extension) };
    const starts: unknown[] = [];
    await wrapServer(server, gateway, dialogue, async (start) => {
      starts.push(start);
      return ["--trust-annotations"];
    });
    const env = /"?(K)"?( =|:)/.test(text) ? { K: "v" } : {};
    expect(starts).toEqual([{ command: "npx", args: ["x"], env }]);
    expect((await commandOf(server)).slice(2, 6)).toEqual(["wrap", "--shared", "--trust-annotations", "--"]);
    await unwrapServer(server, dialogue);
    expect(await readFile(server.file, "utf8")).toBe(text);
  },
);

it.each(files)(
  "unwraps a server of %s after another change of its file, which stays",
  async (host, text, extension) => {
    const server = { host, name: "a", file: await fileWith(text, extension) };
    await wrapServer(server, gateway, dialogue);
    const wrapped = await readFile(server.file, "utf8");
    const change = extension === "json" ? `${wrapped}// later\n` : `${wrapped}# later\n`;
    await writeFile(server.file, change);
    await unwrapServer(server, dialogue);
    expect(await commandOf(server)).toEqual(["npx", "x"]);
    expect(await readFile(server.file, "utf8")).toContain("later");
  },
);

test("what a host does not start, or does not have, is refused with what to do", async () => {
  const text = `{"mcpServers": {"far": {"url": "https://example.com/mcp"}}}`;
  const file = await fileWith(text, "json");
  const wrap = (name: string) => wrapServer({ host: "claude-desktop", file, name }, gateway, dialogue);
  await expect(wrap("far")).rejects.toThrow("--url");
  await expect(wrap("near")).rejects.toThrow('has no server "near". It has far.');
  expect(await readFile(file, "utf8")).toBe(text);
});
