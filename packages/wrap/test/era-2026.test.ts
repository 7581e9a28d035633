import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import type { Era, UpstreamClient } from "@resumable-mcp/mcp/define-server";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { WrapOptions } from "../src/index.js";
import { startProcess } from "../src/upstream/child-process.js";
import { ServerSlot } from "../src/upstream/server-slot.js";
import { startHttpGateway } from "./kill-storm.js";
import { lowerLimit, openWrapped } from "./open-wrapped.js";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const owner = "local:test";
const signal = new AbortController().signal;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrap-2026-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const effects = async () => (await readFile(join(folder, "effects"), "utf8").catch(() => "")).trim().split("\n");
const raw = () => ({ command: "node", args: [fileOf("raw-2026-server.js"), join(folder, "effects")] });
const resultOf = ({ record }: TaskView): JsonObject => Object(Object(record.output).result);
const textsOf = (view: TaskView) => Array.from(Object(resultOf(view).content ?? []), ({ text }: JsonObject) => text);

async function open(options: WrapOptions = raw()) {
  const opened = await openWrapped(options);
  const { tasks } = opened;
  const start = async (tool: string, input: JsonObject = {}) => (await tasks.start({ tool, input })).record.id;
  const call = async (tool: string, input: JsonObject = {}) => tasks.wait(await start(tool, input));
  return { ...opened, start, call };
}

async function overHttp(): Promise<WrapOptions> {
  const { child, url } = await startHttpGateway([fileOf("sdk-2026-server.js"), "http"]);
  onTestFinished(() => void child.kill());
  return { url };
}

/** A server of both eras, and calls of one owner by clients of either. */
async function openBoth(options: WrapOptions) {
  const { definition, tasks, start } = await open(options);
  const startIn = async (era: Era, tool: string) => {
    const begun = definition.upstream?.expect(owner, era);
    // An equal call would join the first.
    const id = await start(tool, { era });
    begun?.(id);
    return id;
  };
  const answered = async (id: string) => {
    const [question] = (await tasks.wait(id)).questions;
    await tasks.answer(id, question?.key ?? "", { action: "accept", content: { name: "Ada" } });
    return textsOf(await tasks.wait(id));
  };
  return { tasks, startIn, answered };
}

describe("a server of the 2026 era", () => {
  it.each([
    ["stdio", async () => ({ command: "node", args: [fileOf("sdk-2026-server.js")] })],
    ["HTTP", overHttp],
  ])("with the SDK 2.x over %s is listed and called, with its progress, and asks its user", async (_name, server) => {
    const { definition, tasks, start, call } = await open(await server());
    expect(definition).toMatchObject({ name: "sdk", version: "2" });
    expect(definition.tools.map(({ name }) => name)).toEqual(["echo", "greet", "ask"]);
    const echoed = await call("echo", { text: "größer" });
    expect(textsOf(echoed)).toEqual(["größer"]);
    expect(resultOf(echoed)).not.toHaveProperty("resultType");
    expect(echoed.record).toMatchObject({ progress: 1, total: 1 });
    const id = await start("greet");
    const { questions } = await tasks.wait(id);
    expect(questions).toMatchObject([{ question: { message: "Who?" } }]);
    await tasks.answer(id, questions[0]?.key ?? "", { action: "accept", content: { name: "Ada" } });
    expect(textsOf(await tasks.wait(id))).toEqual(["Hello, Ada."]);
    const prompts = await definition.upstream?.ask({ owner, era: "2026", method: "prompts/list", params: {}, signal });
    expect(prompts).toMatchObject({ result: { prompts: [{ name: "hello" }] } });
  });

  it("is spoken to in the era of its caller where it speaks both, also for two callers of one owner", async () => {
    const { tasks, startIn, answered } = await openBoth({ command: "node", args: [fileOf("sdk-2026-server.js")] });
    // In the 2026 era a server has no requests.
    const refused = await startIn("2026", "ask");
    const byResult = await startIn("2026", "greet");
    const byRequest = await startIn("2025", "ask");
    expect(await answered(byRequest)).toEqual(["Hello, Ada."]);
    expect(await answered(byResult)).toEqual(["Hello, Ada."]);
    expect(resultOf(await tasks.wait(refused))).toMatchObject({ isError: true });
  });

  it("is spoken to in the 2026 era where it speaks both and has no sessions: without one it could ask for nothing", async () => {
    const { startIn, answered } = await openBoth(await overHttp());
    expect(await answered(await startIn("2025", "greet"))).toEqual(["Hello, Ada."]);
  });

  it("is known by its own name, has all pages of its list read, and changes are heard", async () => {
    const { definition, engine, call } = await open();
    expect(definition).toMatchObject({ name: "raw-2026", version: "1", instructions: "Use me." });
    expect(definition.tools).toHaveLength(12);
    await call("rename");
    await expect.poll(() => engine.tools.map(({ name }) => name)).toContain("renamed");
  });

  it("gets with each request who asks and what that can do, and nothing of the request before it", async () => {
    const { call } = await open();
    const params: JsonObject = JSON.parse(String(textsOf(await call("seen", { a: 1 }))[0]));
    expect(params).toEqual({
      name: "seen",
      arguments: { a: 1 },
      _meta: {
        progressToken: expect.any(Number),
        "io.modelcontextprotocol/logLevel": "info",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "resumable-mcp-wrap", version: expect.any(String) },
        "io.modelcontextprotocol/clientCapabilities": {
          elicitation: { form: {}, url: {} },
          sampling: {},
          roots: {},
          extensions: { "io.modelcontextprotocol/tasks": {}, "io.github.resumable-mcp/checkpoint": {} },
        },
      },
    });
  });

  it("hears that a call is cancelled", async () => {
    const { tasks, start } = await open();
    const id = await start("hang");
    await expect.poll(effects).toContain("call hang");
    await tasks.cancel(id);
    await expect.poll(effects).toContain("cancelled");
  });

  it("is never called a second time when it dies and said nothing to continue from", async () => {
    const { call } = await open();
    const ended = await call("work", { dieAt: 2 });
    expect(resultOf(ended)).toMatchObject({ structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
    expect(await effects()).toEqual(["call work", "step 1", "died"]);
  });

  it("is called again from the beginning, where it says that this does no harm and its user trusts it", async () => {
    const { call } = await open({ ...raw(), trustAnnotations: true });
    const ended = await call("safe", { dieAt: 2 });
    expect(textsOf(ended)).toEqual(["done", expect.stringContaining("made again")]);
    expect(resultOf(ended)).toMatchObject({ _meta: { "resumable-mcp/repeated": true } });
  });

  it("continues from its last checkpoint when it is killed", async () => {
    const { call } = await open();
    expect(textsOf(await call("saved", { dieAt: 2 }))).toEqual(["part 1", "part 2", "part 3", "done"]);
    const resumed = `resume ${JSON.stringify({ state: "2", attempt: 2 })}`;
    expect(await effects()).toEqual(["call saved", "step 1", "step 2", "died", "call saved", resumed, "step 3"]);
  });
});

describe("a call that its server answers with where it stands", () => {
  it("continues from that at once, and where its server died from what was stored last", async () => {
    const { call } = await open();
    expect(textsOf(await call("rounds", { steps: 12 }))).toEqual(["done in 12"]);
    expect(textsOf(await call("rounds", { steps: 4, dieAt: 3 }))).toEqual(["done in 4"]);
    const steps = (await effects()).slice(24);
    const made = ["call rounds", "step 1", "call rounds", "step 2", "call rounds", "died", "call rounds", "step 3"];
    expect(steps).toEqual([...made, "call rounds", "step 4"]);
  });

  it("asks each question once, also where the same is asked again and its server died with the answer", async () => {
    const { tasks, start } = await open();
    const id = await start("ask", { dieAt: 2 });
    for (const name of ["Ada", "Bob"]) {
      const { questions } = await tasks.wait(id);
      expect(questions).toMatchObject([{ question: { message: "Who are you?" } }]);
      await tasks.answer(id, questions[0]?.key ?? "", { action: "accept", content: { name } });
    }
    expect(textsOf(await tasks.wait(id))).toEqual(["done Ada Bob"]);
    const made = ["call ask", "call ask", "call ask", "died", "call ask"];
    expect(await effects()).toEqual(made);
  });

  it("ends when that does not end, or is too much to keep", async () => {
    lowerLimit("maxRoundTrips", 200);
    const { call } = await open();
    const limit = { structuredContent: { error: { code: "LIMIT_EXCEEDED" } } };
    expect(resultOf(await call("big"))).toMatchObject(limit);
    expect(resultOf(await call("shed"))).toMatchObject(limit);
    expect((await effects()).filter((line) => line === "call shed")).toHaveLength(201);
  });

  it.each<JsonObject>([{}, { inTask: true }])(
    "asks a client that samples, and ends where none does: %j",
    async (input) => {
      const { definition, tasks, start, call } = await open();
      const without = await call("sample", input);
      expect(without.record.output).toMatchObject({ error: { code: -32_021 } });
      const client: UpstreamClient = {
        capabilities: { sampling: {} },
        request: async () => ({ result: { role: "assistant", content: { type: "text", text: "yes" }, model: "m" } }),
      };
      const id = await start("sample", { ...input, n: 1 });
      definition.upstream?.join(id, client);
      expect(textsOf(await tasks.wait(id)).join(" ")).toMatch(/done .*yes/);
    },
  );
});

describe("a call of which its server makes a task", () => {
  it("is awaited, with what the server says of it, also where the server dies", async () => {
    const { tasks, start, call } = await open();
    expect(textsOf(await call("task", { dieAt: 2 }))).toEqual(["done"]);
    expect((await effects()).filter((line) => line === "call task")).toHaveLength(1);
    const id = await start("task", { n: 1, never: true });
    await expect.poll(async () => (await tasks.get(id)).record.message).toBe("poll 3");
    await tasks.cancel(id);
    await expect.poll(effects).toContainEqual(expect.stringMatching(/^end t/));
  });

  it("asks what its task asks", async () => {
    const { tasks, start } = await open();
    const id = await start("task", { asks: true });
    const { questions } = await tasks.wait(id);
    await tasks.answer(id, questions[0]?.key ?? "", { action: "accept", content: { name: "Ada" } });
    const [said] = textsOf(await tasks.wait(id));
    expect(said).toBe('done answer {"who":{"action":"accept","content":{"name":"Ada"}}}');
  });

  it("fails as its task fails, and has no known outcome where its server has forgotten that", async () => {
    const { call } = await open();
    const failed = await call("task", { fails: true });
    expect(failed.record.output).toEqual({ error: { code: -32_603, message: "It broke." } });
    expect(resultOf(await call("task", { forgotten: true }))).toMatchObject({
      structuredContent: { error: { code: "OUTCOME_UNKNOWN" } },
    });
  });

  it("is left at work by a pause, and awaited again after it", async () => {
    const { tasks, start } = await open();
    const id = await start("task", { polls: 5 });
    await expect.poll(async () => (await tasks.get(id)).record.state).toBeDefined();
    await tasks.pause(id);
    await expect.poll(async () => (await tasks.get(id)).status).toBe("paused");
    await tasks.resume(id);
    expect(textsOf(await tasks.wait(id))).toEqual(["done"]);
    expect((await effects()).filter((line) => line.startsWith("call") || line.startsWith("end"))).toEqual([
      "call task",
    ]);
  });
});

describe("a server of the 2025 era", () => {
  /** Answers the 2025 era alone, and does with other requests what it is given. */
  const old = (otherwise: string) => `
    const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const serverInfo = { name: "old", version: "1" };
      const said = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
      if (method === "initialize") send({ id, result: said });
      else if (method === "tools/list") send({ id, result: { tools: [{ name: "work", inputSchema: {} }] } });
      else if (id !== undefined) { ${otherwise} }
    });`;

  it.each([
    ["refuses them", "send({ id, error: { code: -32602, message: 'Invalid.' } })"],
    ["leaves them without an answer", ""],
    ["ends at them", "process.exit(1)"],
  ])("is found where it does not know requests before initialize and %s", async (_what, otherwise) => {
    const { definition } = await open({ command: "node", args: ["-e", old(otherwise)] });
    expect(definition).toMatchObject({ name: "old", tools: [{ name: "work" }] });
  });
});

it("a command that ends at its start is started once for each attempt, and asked for one era", async () => {
  lowerLimit("restartDelayMs", 60 * 60_000);
  lowerLimit("maxRestartDelayMs", 60 * 60_000);
  const script = `fs.appendFileSync(${JSON.stringify(join(folder, "effects"))}, "start\\n"); process.exit(3)`;
  const ignore = () => {};
  const open = startProcess({ command: "node", args: ["-e", script] }, ignore);
  const slot = new ServerSlot(open, { facts: ignore, failed: ignore, heard: ignore, note: ignore });
  onTestFinished(() => slot.close());
  slot.connect().catch(ignore);
  await expect.poll(() => slot.isAway).toBe(true);
  expect(await effects()).toEqual(["start"]);
});
