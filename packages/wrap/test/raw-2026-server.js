// An MCP server of the 2026 era by raw JSON-RPC over stdio. It notes its effects in a file, and dies where its arguments say so.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const [effects = "", notesPids] = process.argv.slice(2);
const revision = "2026-07-28";
const key = (name) => `io.modelcontextprotocol/${name}`;
const checkpointKey = "io.github.resumable-mcp/checkpoint";
const resumeKey = "io.github.resumable-mcp/resume";
const lines = () => (existsSync(effects) ? readFileSync(effects, "utf8").split("\n") : []);
const note = (line) => appendFileSync(effects, `${line}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (said) => ({ resultType: "complete", content: [{ type: "text", text: said }] });
const question = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Who are you?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
};

if (notesPids !== undefined) note(`pid ${process.pid} ${process.ppid}`);

function dieOnce(isDue) {
  if (!isDue || lines().includes("died")) return;
  note("died");
  process.kill(process.pid, "SIGKILL");
}

const listed = [
  "work",
  "safe",
  "saved",
  "rounds",
  "shed",
  "ask",
  "sample",
  "task",
  "hang",
  "rename",
  "big",
  "seen",
].map((name) => ({
  name,
  inputSchema: { type: "object" },
  ...(name === "safe" && { annotations: { idempotentHint: true } }),
}));

/** Work that takes a moment, where the call has a name of its own. */
async function noteStep(tool, id, step) {
  if (id !== undefined) await pause(2);
  note(`step ${step}`);
  if (id !== undefined) note(`step ${tool} ${id} ${step}`);
}

/**
 * The end of a call. In a storm it comes late after the last step: a host that dies while it gets an answer has it, for all that its
 * gateway can know, and the same call is a new one.
 */
async function end(id, otherwise) {
  if (id !== undefined) await pause(20);
  return text(otherwise ?? `done ${id ?? ""}`.trim());
}

/** What a call does, by its tool. */
const tools = {
  async work({ steps = 3, dieAt, id }, { name, _meta }) {
    for (let step = 1; step <= steps; step += 1) {
      dieOnce(step === dieAt);
      await noteStep(name, id, step);
      send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: step } });
    }
    return end(id);
  },
  safe: (input, params) => tools.work(input, params),
  async saved({ steps = 3, dieAt, id }, { _meta }) {
    const from = Number(_meta[resumeKey]?.state ?? 0);
    const resumed = id === undefined ? `resume ${JSON.stringify(_meta[resumeKey])}` : `committed saved ${id} ${from}`;
    if (from > 0) note(resumed);
    for (let step = from + 1; step <= steps; step += 1) {
      await noteStep("saved", id, step);
      const saved = { [checkpointKey]: { state: String(step), append: [{ type: "text", text: `part ${step}` }] } };
      const progress = { progressToken: _meta.progressToken, progress: step, _meta: saved };
      send({ method: "notifications/progress", params: progress });
      // What comes by a pipe before its end is read.
      if (step === dieAt && !lines().includes("died")) {
        note("died");
        return new Promise(() => process.stdout.write("", () => process.kill(process.pid, "SIGKILL")));
      }
    }
    return end(id);
  },
  /** One step for each request; it continues from the state alone. */
  async rounds({ steps = 3, dieAt, holdAt, id }, { requestState }) {
    const step = Number(requestState ?? 0) + 1;
    if (id !== undefined)
      note(requestState === undefined ? `begin rounds ${id}` : `committed rounds ${id} ${step - 1}`);
    dieOnce(step === dieAt);
    await noteStep("rounds", id, step);
    while (step === holdAt && !existsSync(`${effects}.go`)) await pause(5);
    if (step < steps) return { resultType: "input_required", requestState: String(step) };
    return end(id, id === undefined ? `done in ${step}` : undefined);
  },
  shed: () => ({ resultType: "input_required", requestState: "again" }),
  big: () => ({ resultType: "input_required", requestState: "x".repeat(2 ** 20 + 1) }),
  ask({ dieAt }, { requestState, inputResponses }) {
    const asked = JSON.parse(requestState ?? "[]");
    if (inputResponses !== undefined) {
      dieOnce(asked.length + 1 === dieAt);
      asked.push(inputResponses.who.content.name);
    }
    if (asked.length === 2) return text(`done ${asked.join(" ")}`);
    return { resultType: "input_required", inputRequests: { who: question }, requestState: JSON.stringify(asked) };
  },
  sample({ inTask }, { inputResponses }) {
    const inputRequests = { it: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } };
    if (inTask) return makeTask({ asks: true, inputRequests });
    if (inputResponses !== undefined) return text(`done ${inputResponses.it.content.text}`);
    return { resultType: "input_required", inputRequests };
  },
  task: (facts) => makeTask(facts),
  hang: () => new Promise(() => {}),
  rename() {
    listed.push({ name: "renamed", inputSchema: { type: "object" } });
    if (listening !== undefined) {
      const _meta = { [key("subscriptionId")]: listening };
      send({ method: "notifications/tools/list_changed", params: { _meta } });
    }
    return text("renamed");
  },
  seen: (_input, params) => text(JSON.stringify(params)),
};
let listening;
let made = 0;

function makeTask(facts) {
  made += 1;
  const taskId = `t${process.pid}-${made}`;
  if (facts.id !== undefined) note(`begin task ${facts.id}`);
  note(`task ${JSON.stringify({ taskId, ...facts })}`);
  return { resultType: "task", ...base(taskId), status: "working" };
}

const base = (taskId) => ({
  taskId,
  createdAt: "2026-07-28T00:00:00Z",
  lastUpdatedAt: "2026-07-28T00:00:00Z",
  ttlMs: null,
  pollIntervalMs: 10,
});

/** Of a task everything stands in the file, so that it outlives this process. */
function taskNow(taskId) {
  const facts = lines()
    .filter((line) => line.startsWith("task "))
    .map((line) => JSON.parse(line.slice(5)))
    .find((one) => one.taskId === taskId);
  if (facts === undefined || facts.forgotten === true) throw { code: -32_602, message: "Unknown task." };
  if (lines().includes(`end ${taskId}`)) return { ...base(taskId), status: "cancelled" };
  const answer = lines()
    .find((line) => line.startsWith(`answer ${taskId} `))
    ?.replace(` ${taskId}`, "");
  const { inputRequests = { who: question } } = facts;
  if (facts.asks && answer === undefined) return { ...base(taskId), status: "input_required", inputRequests };
  const polls = lines().filter((line) => line === `poll ${taskId}`).length;
  dieOnce(polls === facts.dieAt);
  note(`poll ${taskId}`);
  // What is awaited in a storm counts as a step.
  if (facts.id !== undefined && polls === 0) note("step 0");
  if (facts.never || polls < (facts.polls ?? 3))
    return { ...base(taskId), status: "working", statusMessage: `poll ${Math.min(polls, 3)}` };
  if (facts.fails) return { ...base(taskId), status: "failed", error: { code: -32_603, message: "It broke." } };
  return { ...base(taskId), status: "completed", result: text(`done ${facts.id ?? answer ?? ""}`.trim()) };
}

async function answer({ id, method, params = {} }) {
  const { _meta = {} } = params;
  const claims = [_meta[key("protocolVersion")] === revision, _meta[key("clientCapabilities")] !== undefined];
  if (claims.includes(false)) throw { code: -32_022, message: "Unsupported version.", data: { supported: [revision] } };
  switch (method) {
    case "server/discover":
      return {
        resultType: "complete",
        supportedVersions: [revision],
        capabilities: { tools: { listChanged: true }, prompts: {}, extensions: { [checkpointKey]: {} } },
        instructions: "Use me.",
        _meta: { [key("serverInfo")]: { name: "raw-2026", version: "1" } },
      };
    case "tools/list": {
      const from = Number(params.cursor ?? 0);
      const more = from + 4 < listed.length && { nextCursor: String(from + 4) };
      return { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: listed.slice(from, from + 4), ...more };
    }
    case "prompts/list":
      return { resultType: "complete", ttlMs: 0, cacheScope: "private", prompts: [{ name: "mine" }] };
    case "subscriptions/listen":
      listening = id;
      send({
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: params.notifications, _meta: { [key("subscriptionId")]: id } },
      });
      return new Promise(() => {});
    case "tools/call":
      note(`call ${params.name}`);
      if (params.name === "work" && params.arguments?.id !== undefined) note(`begin work ${params.arguments.id}`);
      return tools[params.name](params.arguments ?? {}, params);
    case "tasks/get":
      return { resultType: "complete", ...taskNow(params.taskId) };
    case "tasks/update":
      note(`answer ${params.taskId} ${JSON.stringify(params.inputResponses)}`);
      return { resultType: "complete" };
    case "tasks/cancel":
      note(`end ${params.taskId}`);
      return { resultType: "complete" };
    default:
      throw { code: -32_601, message: `${method} is not served.` };
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.method === "notifications/cancelled") note("cancelled");
  if (message.id === undefined) return;
  await answer(message).then(
    (result) => send({ id: message.id, result }),
    ({ code, message: why, data }) => send({ id: message.id, error: { code: code ?? -32_603, message: why, data } }),
  );
});
