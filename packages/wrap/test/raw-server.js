// An MCP server by raw JSON-RPC over stdio, without any SDK: what a server in any other language is. It notes its effects in a file.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [effects = "", notesPids] = process.argv.slice(2);
const checkpointKey = "io.github.resumable-mcp/checkpoint";
const resumeKey = "io.github.resumable-mcp/resume";
const note = (line) => appendFileSync(effects, `${line}\n`);
const noted = (line) => existsSync(effects) && readFileSync(effects, "utf8").split("\n").includes(line);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (notesPids !== undefined) note(`pid ${process.pid} ${process.ppid}`);

const schema = { type: "object", properties: { steps: { type: "number" }, dieAt: { type: "number" } } };
const tools = [
  { name: "work", description: "Works in steps.", inputSchema: schema, "x-unknown": { kept: true } },
  { name: "safe", description: "The same.", inputSchema: schema, annotations: { idempotentHint: true } },
  { name: "saved", description: "The same, with checkpoints.", inputSchema: schema },
  { name: "ask", description: "Asks first.", inputSchema: schema, annotations: { idempotentHint: true } },
  { name: "hang", description: "Never ends.", inputSchema: { type: "object" } },
  ...["flood", "huge", "huge-last", "huge-note", "large", "garbage", "child", "rename"].map((name) => ({
    name,
    description: "Odd.",
    inputSchema: { type: "object" },
  })),
  { name: "get_task", description: "Has the name of a control tool.", inputSchema: { type: "object" } },
];

const x = "x".repeat(2 ** 21);
const answers = new Map();
/** Hear that the tools were listed again. */
const listed = [];
let lastId = 0;
function ask(message) {
  lastId += 1;
  const id = `ask-${lastId}`;
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  send({ id, method: "elicitation/create", params: { message, requestedSchema } });
  return new Promise((resolve) => answers.set(id, resolve));
}

async function call({ id, params }) {
  const { name, arguments: { steps = 3, dieAt, holdAt, id: named } = {}, _meta = {} } = params;
  const noteOf = (verb, step = "") =>
    named === undefined ? undefined : note(`${verb} ${name} ${named} ${step}`.trim());
  note(`call ${name}`);
  noteOf("begin");
  if (name === "get_task") return { content: [{ type: "text", text: "mine" }] };
  if (name === "flood") {
    for (let count = 1; count <= 20_000; count += 1)
      send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: count } });
    return { content: [{ type: "text", text: "flooded" }] };
  }
  if (name === "huge") process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":"${x}"}}\n`);
  if (name === "huge-last")
    process.stdout.write(`{"result": {"content": [], "x": "${x}"}, "jsonrpc": "2.0", "id": ${id}}\n`);
  if (name === "huge-note") send({ method: "notifications/message", params: { level: "info", data: x } });
  if (name.startsWith("huge")) return new Promise(() => {});
  if (name === "large") return { content: [], text: x };
  if (name === "garbage") process.stdout.write("not a message\n[1,2]\nnull\n");
  if (name === "garbage") return { content: [{ type: "text", text: "after garbage" }] };
  if (name === "child") {
    const { pid } = spawn("sleep", ["1000"], { stdio: "ignore" });
    process.on("SIGTERM", () => {});
    note(`child ${pid}`);
    return { content: [] };
  }
  if (name === "rename") {
    const index = tools.findIndex((tool) => tool.name === name);
    tools[index] = { name: "renamed", description: "Came later.", inputSchema: { type: "object" } };
    send({ method: "notifications/tools/list_changed" });
    const ping = { id: "after-list", method: "ping" };
    await new Promise((resolve) => listed.push(resolve));
    await new Promise((resolve) => {
      answers.set(ping.id, resolve);
      send(ping);
    });
    return { content: [{ type: "text", text: "renamed" }] };
  }
  if (name === "hang") return new Promise(() => {});
  if (name === "nope") throw { code: -32_602, message: "No such tool here.", data: { why: "unknown" } };
  const asked = name === "ask" ? await ask("Who are you?") : undefined;
  const from = name === "saved" && _meta[resumeKey] !== undefined ? Number(_meta[resumeKey].state) : 0;
  for (let step = from + 1; step <= steps; step += 1) {
    if (step === dieAt && !noted("died")) {
      note("died");
      process.kill(process.pid, "SIGKILL");
    }
    while (step === holdAt && !existsSync(`${effects}.go`)) await new Promise((resolve) => setTimeout(resolve, 5));
    note(`step ${step}`);
    noteOf("step", step);
    const state = { [checkpointKey]: { state: String(step), append: [{ type: "text", text: `part ${step}` }] } };
    const meta = name === "saved" ? { _meta: state } : {};
    const progress = { progressToken: _meta.progressToken, progress: step, total: steps, message: `step ${step}` };
    send({ method: "notifications/progress", params: { ...progress, ...meta } });
    // Once each has been read: what was not acknowledged may be done again.
    await new Promise((resolve) => {
      lastId += 1;
      answers.set(`ping-${lastId}`, resolve);
      send({ id: `ping-${lastId}`, method: "ping" });
    });
    noteOf("committed", step);
  }
  return {
    content: [{ type: "text", text: `done ${asked?.content?.name ?? named ?? ""}`.trim() }],
    _meta: { id: "own", n: id },
  };
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  // A ping that is refused: the call is over, and works no further.
  if (method === undefined && result !== undefined) answers.get(id)?.(result);
  else if (method === "initialize")
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true }, prompts: {} },
        serverInfo: { name: "raw", version: "1" },
        instructions: "Use me.",
      },
    });
  else if (method === "tools/list") {
    send({ id, result: { tools } });
    for (const resolve of listed.splice(0)) resolve();
  } else if (method === "prompts/list") send({ id, result: { prompts: [{ name: "mine" }] } });
  else if (method === "notifications/cancelled") note("cancelled");
  else if (method === "tools/call")
    await call({ id, params }).then(
      (answer) => send({ id, result: answer }),
      (error) => send({ id, error }),
    );
  else if (id !== undefined && method !== undefined)
    send({ id, error: { code: -32_601, message: `${method} is not served.` } });
});
