import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { afterAll, expect, test } from "vitest";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const bin = (name: string) => here(`../node_modules/.bin/${name}`);
const program = here("../../resumable-mcp/dist/cli.js");
const root = await mkdtemp(join(tmpdir(), "wrap-foreign-"));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));

const example = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/sdk/examples/server/${name}.js`);
/** In WebAssembly where the machine has no Python. */
const python =
  spawnSync("python3", ["--version"]).status === 0
    ? ["python3"]
    : ["node", here("../../../conformance/test/pages/python.js")];

/** What the servers work on: the same for each gateway. */
const folder = join(root, "files");
const roots = [folder, here("..")];
const file = join(folder, "a.png");
const relations = [{ from: "Ada", to: "Bob", relationType: "knows" }];

/** What the tools are called with, in the order of their lists. */
const inputs: Readonly<Record<string, object>> = {
  echo: { message: "ä 漢 \u0000", text: "ä" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Text", resourceId: 1 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "gzip-file-as-resource": { name: "x.gz", data: "data:text/plain,hello", outputType: "resource" },
  "simulate-research-query": { topic: "python", ambiguous: true },
  "trigger-long-running-operation": { duration: 0.2, steps: 2 },
  "trigger-url-elicitation": { url: "https://example.com/", elicitationId: "e1" },
  "trigger-sampling-request": { prompt: "p", maxTokens: 10 },
  read_file: { path: file, head: 1 },
  read_text_file: { path: file },
  read_media_file: { path: file },
  read_multiple_files: { paths: [file, join(folder, "none")] },
  write_file: { path: join(folder, "b"), content: "one\ntwo" },
  edit_file: { path: join(folder, "b"), edits: [{ oldText: "one", newText: "ä 漢" }] },
  create_directory: { path: join(folder, "c") },
  list_directory: { path: folder },
  list_directory_with_sizes: { path: folder },
  directory_tree: { path: folder },
  move_file: { source: join(folder, "b"), destination: join(folder, "c", "b") },
  search_files: { path: folder, pattern: "**/b" },
  // Of a file whose times stay as they are.
  get_file_info: { path: here("../README.md") },
  create_entities: { entities: ["Ada", "Bob"].map((name) => ({ name, entityType: "person", observations: ["ä"] })) },
  create_relations: { relations },
  add_observations: { observations: [{ entityName: "Ada", contents: ["漢"] }] },
  delete_entities: { entityNames: ["Bob"] },
  delete_observations: { deletions: [{ entityName: "Ada", observations: ["ä"] }] },
  delete_relations: { relations },
  search_nodes: { query: "ada" },
  open_nodes: { names: ["Ada"] },
  add: { a: 1, b: 2 },
  get_weather: { city: "Bern", country: "CH" },
  summarize: { text: "long" },
  count: { n: 3 },
};

/** Of servers in whose answers neither chance nor the time shows. */
const environment = Object.entries({
  PATH: process.env.PATH,
  MEMORY_FILE_PATH: join(folder, "memory.json"),
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('Math.random = () => 0.4; Date.prototype.toLocaleTimeString = () => "now"')}`,
}).map(([name, value]) => `${name}=${value}`);
const node = ["env", "-i", ...environment];

const servers: readonly (readonly [string, readonly string[]])[] = [
  ["server-everything", [...node, bin("mcp-server-everything"), "stdio"]],
  ["server-filesystem", [...node, bin("mcp-server-filesystem"), ...roots]],
  ["server-memory", [...node, bin("mcp-server-memory")]],
  ["SDK 1.x, structured results", [...node, "node", example("mcpServerOutputSchema")]],
  ["SDK 1.x, sampling", [...node, "node", example("toolWithSampleServer")]],
  ["SDK 1.x, progress", [...node, "node", example("progressExample")]],
  ["SDK 2.x", ["node", here("sdk-2026-server.js")]],
  ["fastmcp", ["node", here("fastmcp-server.js")]],
  ["Python without an SDK", [...python, here("raw-server.py")]],
];

/** A client that can answer what servers ask. */
async function connect([command = "", ...args]: readonly string[]): Promise<Client> {
  const client = new Client(
    { name: "proof", version: "1" },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    ...(params.mode !== "url" && { content: { name: "Ada", interpretation: "programming" } }),
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: roots.map((path) => ({ uri: `file://${path}` })),
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  }));
  const env = process.env as Record<string, string>;
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  return client;
}

/** What a server says to one client, from its lists to the result of each of its tools. */
interface Said {
  readonly tools: readonly JsonObject[];
  /** Prompts, resources and their templates, each by its list. */
  readonly others: Readonly<Record<string, readonly JsonObject[]>>;
  readonly instructions: string | undefined;
  readonly answers: Readonly<Record<string, JsonObject>>;
}

async function hear(words: readonly string[]): Promise<Said> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(file, "\u0089PNG\nä");
  const client = await connect(words);
  // Without the checks of the SDK's client, and without what it leaves out.
  const ask = async (method: string, params: JsonObject = {}) =>
    (await client.request({ method, params }, ResultSchema)) as JsonObject;
  const list = async (kind: string, path = kind) => (await ask(`${path}/list`))[kind] as readonly JsonObject[];
  try {
    const tools = await list("tools");
    const { prompts, resources } = client.getServerCapabilities() ?? {};
    const others = {
      prompts: prompts ? await list("prompts") : [],
      resources: resources ? await list("resources") : [],
      // Some that have resources know no templates.
      resourceTemplates: resources ? await list("resourceTemplates", "resources/templates").catch(() => []) : [],
    };
    const answers: Record<string, JsonObject> = {};
    for (const { name, execution } of tools) {
      const params = { name: String(name), arguments: { ...inputs[String(name)] } };
      const needsTask = isJsonObject(execution) && execution.taskSupport === "required";
      const called = needsTask
        ? ask("tools/call", { ...params, task: {} }).then(({ task }) =>
            ask("tasks/result", { taskId: Object(task).taskId }),
          )
        : ask("tools/call", params);
      answers[String(name)] = await called.catch(({ code, message, data }) => ({ code, message, data }));
    }
    return { tools, others, instructions: client.getInstructions(), answers };
  } finally {
    await client.close();
  }
}

/** Without what the gateway and the 2026 era add to `_meta`, and the id of a task of the server. */
function withoutOurs({ _meta, ...rest }: JsonObject): JsonObject {
  const own = Object.entries(Object(_meta)).filter(([key]) => !/^resumable-mcp.|.(serverInfo|related-task)$/.test(key));
  return own.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(own) as JsonObject };
}

/** As its server lists it: without `execution`, which is the gateway's, and with the schema that the gateway widened. */
function asListed({ execution: _execution, outputSchema, ...tool }: JsonObject): JsonObject {
  const { type: _type, anyOf, ...shared }: JsonObject = Object(outputSchema);
  const schema = Array.isArray(anyOf) ? { ...shared, ...Object(anyOf[0]) } : outputSchema;
  return { ...withoutOurs(tool), ...(schema !== undefined && { outputSchema: schema }) };
}

/** What identifies an entry of a list of prompts, resources or templates. */
const idOf = ({ uri, uriTemplate, name }: JsonObject) => uri ?? uriTemplate ?? name;

test.each(servers)("%s lists and answers the same through the gateway", async (_name, words) => {
  const direct = await hear(words);
  const gateway = [process.execPath, program, "wrap", "--store", await mkdtemp(join(root, "store-")), "--"];
  const through = await hear([...gateway, ...words]);
  expect(through.tools.slice(0, direct.tools.length).map(asListed)).toEqual(direct.tools.map(asListed));
  for (const [kind, listed] of Object.entries(direct.others)) {
    const ids = new Set(listed.map(idOf));
    expect(through.others[kind]?.filter((entry) => ids.has(idOf(entry)))).toEqual(listed);
  }
  expect(through.instructions?.startsWith(direct.instructions ?? "")).toBe(true);
  // No input is wrong: only what has to fail does.
  const failing = Object.entries(direct.answers).filter(
    ([, { isError, code }]) => isError === true || code !== undefined,
  );
  expect(["refuse", "failed", "refused"]).toEqual(expect.arrayContaining(failing.map(([name]) => name)));
  // As text, in which members are in order.
  const text = (answer: JsonObject | undefined) => JSON.stringify(withoutOurs(answer ?? {}), null, 1);
  for (const { name } of direct.tools)
    expect(text(through.answers[String(name)])).toBe(text(direct.answers[String(name)]));
});
