import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client as Client2026 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioClientTransport2026 } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, inject, onTestFinished, test } from "vitest";
import { openProject } from "../../src/packed-project.js";

const project = openProject(inject("projectDirectory"));
const info = { name: "test", version: "1" };

/** How a client starts the installed server on a module of the project. */
function serverOf(module: string) {
  const env = Object.fromEntries(
    Object.entries(project.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const args = [join(project.directory, module), "--store", join(project.directory, `store-${crypto.randomUUID()}`)];
  return { command: project.bin("resumable-mcp-stdio"), args, cwd: project.directory, env };
}

type Call = (name: string, input: { readonly n?: unknown }) => Promise<unknown>;

/** Connects a client of the 2025 era. What a call resolves to is its structured content, else its whole result. */
async function connect2025(module: string): Promise<Call> {
  const client = new Client(info);
  await client.connect(new StdioClientTransport(serverOf(module)));
  onTestFinished(() => client.close());
  return async (name, input) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    return result.structuredContent ?? result;
  };
}

/** The same of the 2026 era. */
async function connect2026(module: string): Promise<Call> {
  const client = new Client2026(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StdioClientTransport2026(serverOf(module)));
  onTestFinished(() => client.close());
  return async (name, input) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    return result.structuredContent ?? result;
  };
}

const eras = [
  ["2025", connect2025],
  ["2026", connect2026],
] as const;

const tools = `
import { defineTool, RetryableError, TerminalError } from "@resumable-mcp/core";
import { z } from "zod";
export const halve = defineTool({
  name: "halve",
  description: "Halves an even number.",
  input: z.object({ n: z.number().int().refine((n) => n < 100, "at most 99") }),
  output: z.object({ half: z.number(), attempt: z.number() }),
  state: { started: false },
  retry: { maxAttempts: 2, initialDelay: 1 },
  async *run({ n }, task) {
    yield { progress: task.attempt, total: 3, state: { started: true } };
    if (n % 2 === 1) throw new TerminalError(n + " is odd");
    if (task.attempt === 1) throw new RetryableError("once more", { delay: 0 });
    return { half: n / 2, attempt: task.attempt };
  },
});
export default [halve];
`;

test.each(eras)(
  "the bundled server runs tools that are made with the installed core and zod, %s era",
  async (_era, connect) => {
    await project.write("halve.mjs", tools);
    const call = await connect("halve.mjs");
    expect(await call("halve", { n: 8 })).toEqual({ half: 4, attempt: 2 });
    expect(await call("halve", { n: 7 })).toMatchObject({ error: { code: "TOOL_FAILED", message: "7 is odd" } });
    expect(JSON.stringify(await call("halve", { n: 200 }))).toContain("at most 99");
  },
);

test.each(eras)("a module with setup is served by the SDKs that are installed, %s era", async (_era, connect) => {
  await project.write(
    "with-setup.mjs",
    `${tools.replace("export default [halve];", "")}
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2026 } from "@modelcontextprotocol/server";
const about = (isInstalled) => (server) =>
  server.registerTool("installed", { inputSchema: z.object({}) }, async () => ({
    content: [], structuredContent: { installed: isInstalled(server) },
  }));
export default {
  name: "with-setup", version: "1", tools: [halve],
  setup: about((server) => server instanceof McpServer),
  setup2026: about((server) => server instanceof McpServer2026),
};
`,
  );
  const call = await connect("with-setup.mjs");
  expect(await call("installed", {})).toEqual({ installed: true });
  expect(await call("halve", { n: 8 })).toEqual({ half: 4, attempt: 2 });
});

test("the stdio server, packed, carries the licences of what it bundles", async () => {
  const dist = join(project.directory, "node_modules/@resumable-mcp/server-stdio/dist");
  const licenses = await readFile(join(dist, "THIRD_PARTY_LICENSES"), "utf8");
  for (const name of ["@modelcontextprotocol/server", "zod", "lowdb"]) {
    expect(licenses).toMatch(new RegExp(`^${name} \\S+ \\(`, "m"));
  }
  const late = await readFile(join(dist, "bundled", "THIRD_PARTY_LICENSES"), "utf8");
  expect(late).toMatch(/^@modelcontextprotocol\/server \S+ \(/m);
  expect(await readFile(join(dist, "hosts", "THIRD_PARTY_LICENSES"), "utf8")).toMatch(/^yaml \S+ \(ISC\)$/m);
});
