import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WrapOptions } from "../src/index.js";
import { askIn2026 } from "./ask-in-2026.js";
import { callOverHttp, kill, startHttpGateway, wrapped } from "./kill-storm.js";
import { openWrapped } from "./open-wrapped.js";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const program = fileOf("../../resumable-mcp/dist/cli.js");

async function scene() {
  const folder = await mkdtemp(join(tmpdir(), "wrap-2026-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const effects = join(folder, "effects");
  const lines = () => (existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : []);
  return { store: join(folder, "store"), effects, lines, go: () => writeFile(`${effects}.go`, "") };
}

async function gateway(words: readonly string[]) {
  const started = await startHttpGateway(words);
  onTestFinished(() => void kill(started.child.pid));
  return started;
}

it("continues from the requestState that was stored last when the gateway is killed between two of them", async () => {
  const { store, effects, lines, go } = await scene();
  const words = wrapped(effects, ["http", "--port", "0", "--store", store], "raw-2026-server.js");
  const input = { steps: 4, holdAt: 3 };
  const first = await gateway(words);
  void callOverHttp(first.url, "rounds", input);
  await expect.poll(lines).toContain("step 3");
  kill(first.child.pid);
  await go();
  const second = await gateway(words);
  expect(await callOverHttp(second.url, "rounds", input)).toContain("done in 4");
  const steps = lines().filter((line) => line.startsWith("step "));
  expect(steps).toEqual(["step 1", "step 2", "step 3", "step 3", "step 4"]);
});

/** The toolkit's own server, as a gateway reaches it, and what kills it. */
interface OwnServer {
  readonly options: WrapOptions;
  restart(): Promise<unknown>;
}

async function overHttp(words: readonly string[]): Promise<OwnServer> {
  let server = await gateway([program, "serve", "http", ...words, "--port", "0"]);
  const { port } = new URL(server.url);
  return {
    options: { url: server.url },
    async restart() {
      kill(server.child.pid);
      server = await gateway([program, "serve", "http", ...words, "--port", port]);
    },
  };
}

it.each([
  ["stdio", "2025"],
  ["stdio", "2026"],
  ["http", "2025"],
  ["http", "2026"],
] as const)(
  "awaits the task that the toolkit's own server makes of a call over %s in the %s era, also when that is killed, and asks what it asks",
  async (transport, era) => {
    const { store, effects, lines, go } = await scene();
    process.env.EFFECTS = effects;
    const words = [fileOf("own-server.js"), "--store", store, "--recover-after", "now"];
    const own: OwnServer =
      transport === "http"
        ? await overHttp(words)
        : {
            options: { command: "node", args: [program, "serve", "stdio", ...words] },
            restart: async () => (lines().at(-1) ?? "").split(" ").slice(1).map(Number).forEach(kill),
          };
    const { definition, tasks } = await openWrapped(own.options);
    const begun = definition.upstream?.expect(tasks.owner, era);
    const { record } = await tasks.start({ tool: "count", input: { n: 4 } });
    begun?.(record.id);
    await expect.poll(async () => (await tasks.get(record.id)).record.message).toContain("counted 2");
    expect((await tasks.get(record.id)).record.state).toMatchObject({
      task: expect.any(String),
      ...(era === "2025" && { era }),
    });
    await own.restart();
    await go();
    const { questions } = await tasks.wait(record.id);
    expect(questions).toMatchObject([{ question: { message: "Whose?" } }]);
    await tasks.answer(record.id, questions[0]?.key ?? "", { action: "accept", content: { name: "Ada" } });
    const ended = await tasks.wait(record.id);
    expect(JSON.stringify(ended.record.output)).toContain("counted for Ada");
    expect(lines()).toHaveLength(4);
  },
);

/** A client of the 2026 era that samples, at a gateway over HTTP. */
async function samplingClient(extensions: JsonObject) {
  const { store, effects } = await scene();
  const { url } = await gateway(wrapped(effects, ["http", "--port", "0", "--store", store], "raw-2026-server.js"));
  return askIn2026(url, { sampling: {}, extensions });
}

const yes = { role: "assistant", content: { type: "text", text: "yes" }, model: "m" };

describe("a client of the 2026 era", () => {
  it("is asked what the server asks of clients in the answer to its call, and answers with the next", async () => {
    const request = await samplingClient({});
    const call = { name: "sample", arguments: {} };
    const { resultType, inputRequests, requestState } = await request("tools/call", call);
    expect(resultType).toBe("input_required");
    expect(inputRequests).toEqual({ it: { method: "sampling/createMessage", params: expect.anything() } });
    const ended = await request("tools/call", { ...call, requestState, inputResponses: { it: yes } } as JsonObject);
    expect(JSON.stringify(ended.content)).toMatch(/done .*yes/);
    expect(await request("logging/setLevel", { level: "info" })).toMatchObject({ error: { code: -32_601 } });
  });

  it("is asked the same by its task", async () => {
    const request = await samplingClient({ "io.modelcontextprotocol/tasks": {} });
    const { taskId = "" } = await request("tools/call", { name: "sample", arguments: {} });
    const get = () => request("tasks/get", { taskId });
    await expect.poll(async () => (await get()).status).toBe("input_required");
    expect(await get()).toMatchObject({ inputRequests: { it: { method: "sampling/createMessage" } } });
    await request("tasks/update", { taskId, inputResponses: { it: yes } });
    await expect.poll(async () => (await get()).status).toBe("completed");
    expect(JSON.stringify((await get()).result)).toMatch(/done .*yes/);
  });
});
