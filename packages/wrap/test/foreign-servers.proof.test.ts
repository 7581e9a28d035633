import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../resumable-mcp/dist/cli.js", import.meta.url));
const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "wrap-foreign-"));

/** What a call is made with, where a tool needs anything. */
const inputs: Readonly<Record<string, object>> = {
  echo: { message: "ä 漢 \u0000" },
  "get-sum": { a: 1, b: 2 },
  "get-structured-content": { location: "Chicago" },
  "trigger-long-running-operation": { duration: 0.2, steps: 2 },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Text", resourceId: 1 },
  list_directory: { path: folder },
  write_file: { path: join(folder, "a"), content: "x" },
  read_text_file: { path: join(folder, "a") },
  add: { a: 1, b: 2 },
};
/** What depends on the moment, or changes what comes after it. */
const skipped = /env|gzip|toggle|create_entities|sampling|elicitation|research|roots/;

const servers: readonly (readonly [string, readonly string[]])[] = [
  ["server-everything", [bin("mcp-server-everything"), "stdio"]],
  ["server-filesystem", [bin("mcp-server-filesystem"), folder]],
  ["server-memory", [bin("mcp-server-memory")]],
  ["fastmcp", ["node", here("fastmcp-server.js")]],
];

async function connect(
  [command = "", ...args]: readonly string[],
  capabilities = { elicitation: {}, sampling: {}, roots: {} },
) {
  const client = new Client({ name: "proof", version: "1" }, { capabilities });
  const env = { ...process.env, MEMORY_FILE_PATH: join(folder, "memory.json") } as Record<string, string>;
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: "accept",
    content: { name: "Ada", interpretation: "programming" },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${folder}` }] }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  }));
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

const wrapped = (words: readonly string[]) =>
  connect([process.execPath, program, "wrap", "--store", join(folder, `store-${Math.random()}`), "--", ...words]);

/** Without what this toolkit adds. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === "_meta" || key === "execution" ? undefined : part)));

async function answerOf(client: Client, name: string): Promise<unknown> {
  try {
    return plain(await client.callTool({ name, arguments: { ...inputs[name] } }));
  } catch (error) {
    return String(error);
  }
}

describe.each(servers)("%s through the gateway", (_name, words) => {
  it("lists the same tools, and each answers the same", async () => {
    const [direct, through] = [await connect(words), await wrapped(words)];
    const tools = (await direct.listTools()).tools;
    const listed = new Map((await through.listTools()).tools.map((tool) => [tool.name, tool]));
    for (const { outputSchema, ...tool } of tools) {
      const { outputSchema: widened, ...found } = listed.get(tool.name) ?? { outputSchema: undefined };
      expect(plain(found)).toEqual(plain(tool));
      expect(widened === undefined).toBe(outputSchema === undefined);
    }
    for (const { name } of tools.filter((tool) => !skipped.test(tool.name)))
      expect([name, await answerOf(through, name)]).toEqual([name, await answerOf(direct, name)]);
  });
});

it("lets a server ask, sample and read roots, and calls a tool that demands a task for a client without tasks", async () => {
  const through = await wrapped(servers[0]?.[1] ?? []);
  const text = async (name: string, input = {}) => JSON.stringify(await through.callTool({ name, arguments: input }));
  expect(await text("trigger-elicitation-request")).toContain("Name: Ada");
  expect(await text("trigger-sampling-request", { prompt: "p", maxTokens: 10 })).toContain("sampled");
  expect(await text("get-roots-list")).toContain(folder);
  expect(await text("simulate-research-query", { topic: "python", ambiguous: true })).toContain("python (programming)");
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  const direct = await connect(servers[0]?.[1] ?? []);
  expect(names((await through.listPrompts()).prompts)).toEqual(
    expect.arrayContaining(names((await direct.listPrompts()).prompts)),
  );
  expect(names((await through.listResources()).resources)).toEqual(
    expect.arrayContaining(names((await direct.listResources()).resources)),
  );
  await rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
});
