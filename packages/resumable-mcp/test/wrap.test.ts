import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { projectFolder, start } from "./program.js";

test.each([
  [["wrap"], "Write the server's command after --"],
  [["wrap", "node", "x.js"], "node stands before --."],
  [["wrap", "--url", "ftp://x"], "--url must be http or https, not ftp://x."],
  [["wrap", "--url", "http://example.com/mcp", "--header-file", "headers"], "Headers go to https, or to this machine"],
  [
    ["wrap", "--url", "http://127.0.0.1.example.com", "--header-file", "headers"],
    "Headers go to https, or to this machine",
  ],
  [["wrap", "--pass-header", "X-A", "--url", "https://example.com/mcp"], "--pass-header needs callers over HTTP"],
  [["wrap", "http", "--pass-header", "X-A", "--", "node", "x.js"], "--pass-header needs callers over HTTP"],
  [["wrap", "http", "--pass-header", "X-A", "--url", "http://example.com"], "Headers go to https, or to this machine"],
  [["wrap", "http", "--pass-header", "Authorization", "--url", "http://127.0.0.1:1/"], "authorization is not a header"],
  [["wrap", "--header-file", "headers", "--", "node", "x.js"], "Write the server's command after --"],
  [["wrap", "--mcp-servers", "headers", "--", "node", "x.js"], "or --mcp-servers FILE."],
  [["wrap", "--mcp-servers", "none"], "Cannot read none"],
  [["wrap", "--mcp-servers", "headers"], "headers is not JSON."],
  [["wrap", "install", "cursor", "github", "--mcp-servers", "headers"], "The host's file says how github is started"],
  [["wrap", "--url", "https://example.com/mcp", "--header-file", "none"], "Cannot read the header file none"],
  [["wrap", "--url", "https://example.com/mcp", "--header-file", "headers"], 'headers: line 1 must be "Name: value".'],
  [["wrap", "--repeat", "work=often", "--", "node", "x.js"], "often"],
  [["wrap", "install", "cursor"], "Name the host and the server"],
  [["wrap", "--no-supervise", "--", "no-such-program"], "The program no-such-program was not found."],
])("%j is refused with what to do", async (args, sentence) => {
  const folder = await projectFolder();
  await writeFile(join(folder, "headers"), "no colon\n");
  const program = start(args, folder);
  expect(await program.ended).not.toBe(0);
  expect(program.output()).toContain(sentence);
});

test("help says how a server is wrapped, and lists the options of wrap first", async () => {
  const program = start(["wrap", "--help"], await projectFolder());
  expect(await program.ended).toBe(0);
  expect(program.output()).toMatch(/Usage: resumable-mcp wrap \[OPTIONS\] -- COMMAND[\s\S]*the server\n {2}--url URL/);
});

test("a server without tools is wrapped for what else it offers", async () => {
  const folder = await projectFolder();
  await writeFile(
    join(folder, "server.mjs"),
    `import { createInterface } from "node:readline";
    const result = { protocolVersion: "2025-11-25", capabilities: { prompts: {} }, serverInfo: { name: "s", version: "1" } };
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "unknown" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`,
  );
  const program = start(["wrap", "http", "--port", "0", "--", "node", "server.mjs"], folder);
  expect(await program.seen(/listening on http/)).toBeTruthy();
});

test("the start-up line names the control tools as clients see them", async () => {
  const folder = await projectFolder();
  const server = fileURLToPath(new URL("../../wrap/test/raw-server.js", import.meta.url));
  const program = start(["wrap", "http", "--port", "0", "--", "node", server, join(folder, "effects")], folder);
  expect(await program.seen(/^control tools: resumable_wait_for_task, resumable_/m)).toBeTruthy();
});

test("an installation without a terminal says which tools could be repeated, and repeats none", async () => {
  const folder = await projectFolder();
  const server = fileURLToPath(new URL("../../wrap/test/raw-server.js", import.meta.url));
  const before = JSON.stringify({ mcpServers: { raw: { command: "node", args: [server, join(folder, "effects")] } } });
  const file = join(folder, "config.json");
  await writeFile(file, before);
  const change = async (what: string) => {
    const program = start(["wrap", what, "claude-desktop", "raw", "--config", file, "--yes"], folder);
    expect(await program.ended).toBe(0);
    return program.output();
  };
  expect(await change("install")).toMatch(/may be called twice: safe, ask\.\nTheir calls are not made again\./);
  expect(await readFile(file, "utf8")).toMatch(/"wrap",\s*"--",\s*"node"/);
  await change("uninstall");
  expect(await readFile(file, "utf8")).toBe(before);
});
