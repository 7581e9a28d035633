import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { readMcpServers } from "./mcp-servers.js";

/** Reads a file of one server, `a`. */
async function readEntry(entry: unknown) {
  return (await readContent(JSON.stringify({ theme: "dark", mcpServers: { a: entry } }))).a;
}

async function readContent(content: string) {
  const folder = await mkdtemp(join(tmpdir(), "mcp-servers-"));
  const file = join(folder, "servers.json");
  await writeFile(file, content);
  return readMcpServers(file).finally(() => rm(folder, { recursive: true }));
}

/** A variable, as the file names it. */
const variable = (name: string) => `\${${name}}`;

afterEach(() => vi.unstubAllEnvs());

test("variables are read from the environment, or have the text that the file gives", async () => {
  vi.stubEnv("TOKEN", "secret");
  vi.stubEnv("EMPTY", "");
  const words = ["TOKEN", "EMPTY", "EMPTY:-else", "UNSET:-", "UNSET:-a:-b"].map(variable);
  expect(await readEntry({ command: "x", args: words, env: { KEY: `<${words[0]}>` }, cwd: words[0] })).toEqual({
    ...{ command: "x", args: ["secret", "", "else", "", "a:-b"], env: { KEY: "<secret>" }, cwd: "secret" },
  });
  const url = `http://${variable("HOST:-localhost")}/mcp`;
  expect(await readEntry({ type: "http", url, headers: { Authorization: `Bearer ${words[0]}` } })).toEqual({
    ...{ url: "http://localhost/mcp", headers: { authorization: "Bearer secret" } },
  });
});

const remote = { url: "https://example.com/mcp" };

test.each([
  ["x", "a must be an object."],
  [{ ...remote, command: "x" }, "a must have either a command or a url. It has url, command."],
  [{ serverUrl: "x" }, "a must have either a command or a url. It has serverUrl."],
  [{ ...remote, type: "sse" }, 'a has the type "sse", which MCP has replaced.'],
  [{ ...remote, type: "stdio" }, "a: with url, type must be http or streamable-http."],
  [
    { command: "x", disabled: true },
    'a has the key "disabled". With command it may have type, command, args, env, cwd.',
  ],
  [{ command: "x", headers: {} }, 'a has the key "headers".'],
  [{ command: "x", args: "y" }, "a: args must be a list of texts."],
  [{ command: "x", env: { PORT: 1 } }, "a: env.PORT must be a text."],
  [{ command: "x", args: [variable("UNSET")] }, "a: args[0] needs the variable UNSET, which is not set."],
  [{ url: "ftp://x" }, "a: url must be http or https, not ftp://x."],
  [{ url: "http://example.com", headers: { A: "b" } }, "a: url http://example.com is neither."],
])("a server %j is refused", async (entry, sentence) => {
  await expect(readEntry(entry)).rejects.toThrow(sentence);
});

test.each([
  ["{}", "names no server."],
  ['{"mcpServers": {}}', "names no server."],
  ["[1,]", "is not JSON."],
])("a file %s is refused", async (content, sentence) => {
  await expect(readContent(content)).rejects.toThrow(sentence);
});
