import { createMemoryStore, defineTool, type JsonObject, ToolError } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type RunningServer, type ServeOptions, serve } from "../src/index.js";
import type { Log } from "../src/log.js";
import { type RawCaller, type Reply, tokenCaller } from "./two-owners/raw-caller.js";

const secret = "ENOENT: no such file or directory, open '/secret/path/file'";
const words = "There is no city of that name.";

const failing = (name: string, thrown: () => Error, maxAttempts = 1) =>
  defineTool({
    name,
    description: "Fails.",
    input: z.object({ n: z.number().default(0) }),
    retry: { maxAttempts, initialDelay: "1h" },
    // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
    async *run() {
      throw thrown();
    },
  });

const definition = defineServer({
  name: "failing",
  version: "1.0.0",
  tools: [
    failing("fails", () => new Error(secret)),
    failing("fails_rpc", () => Object.assign(new Error(secret), { code: -32_603 })),
    failing("tries_again", () => new Error(secret), 2),
    failing("speaks", () => new ToolError(words)),
  ],
  setup(server) {
    server.registerTool("own", {}, () => {
      throw new Error(secret);
    });
    server.registerResource("own", "own://one", {}, () => {
      throw new Error(secret);
    });
    server.registerPrompt("own", {}, () => {
      throw new Error(secret);
    });
  },
  setup2026(server) {
    server.registerTool("own", {}, () => {
      throw new Error(secret);
    });
    server.registerResource("own", "own://one", {}, () => {
      throw new Error(secret);
    });
    server.registerPrompt("own", {}, () => {
      throw new Error(secret);
    });
  },
});

const logged: { readonly message: string; readonly facts: object }[] = [];
const log: Log = (_level, message, facts = {}) => void logged.push({ message, facts });
const open: RunningServer[] = [];
const callers: RawCaller[] = [];

async function start(options: Partial<ServeOptions> = {}) {
  const server = await serve({ definition, store: createMemoryStore(), port: 0, log, ...options });
  open.push(server);
  const caller = tokenCaller(server.url, "alice", "token");
  callers.push(caller);
  return { server, caller };
}
const verifyToken: ServeOptions["verifyToken"] = async (token) => ({
  token,
  clientId: "stock",
  scopes: [],
  expiresAt: Math.floor(Date.now() / 1_000) + 600,
  extra: { sub: "alice" },
});

beforeEach(() => void logged.splice(0));
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.close();
  for (const server of open.splice(0)) await server.close();
});

type Send = (method: string, params?: JsonObject) => Promise<Reply>;
const eras = [
  [
    "2025",
    (caller: RawCaller): Send =>
      (method, params) =>
        caller.send2025(method, params),
  ],
  [
    "2026",
    (caller: RawCaller): Send =>
      (method, params) =>
        caller.send2026(method, params, { plain: true }),
  ],
  [
    "2026 with tasks",
    (caller: RawCaller): Send =>
      (method, params) =>
        caller.send2026(method, params),
  ],
] as const;

/** Everything that says something about a task, in either era. */
async function readAll(send: Send, id: string): Promise<string> {
  const tool = (name: string, input: JsonObject) => send("tools/call", { name, arguments: input });
  const replies = [
    await tool("get_task", { task_id: id }),
    await tool("wait_for_task", { task_id: id, timeout_seconds: 0 }),
    await tool("list_session_tasks", {}),
    await tool("resume_task", { task_id: id }),
    await send("tasks/get", { taskId: id }),
    await send("tasks/list"),
    await send("tasks/result", { taskId: id }),
    await send("resources/list"),
    await send("resources/read", { uri: `task://${id}` }),
    await send("resources/read", { uri: `task://${id}/journal` }),
    await send("prompts/get", { name: "unfinished_tasks" }),
  ];
  return replies.map(({ body }) => body).join("\n");
}

test.each(eras)(
  "%s: strangers see nothing of what a tool threw, on any way, and the log says why (F10)",
  async (_era, of) => {
    const { server, caller } = await start({ verifyToken });
    const send = of(caller);
    for (const name of ["fails", "fails_rpc"]) {
      const called = await send("tools/call", { name, arguments: {} });
      const page = await server.engine.forOwner("sub:alice").list({ tool: name });
      const id = page.tasks[0]?.id ?? "";
      await server.engine.forOwner("sub:alice").wait(id, { timeoutMs: 20_000 });
      const seen = called.body + (await readAll(send, id));
      expect(seen).toContain(`The tool failed. The server's log says why, under ${id}.`);
      expect(seen).not.toContain("secret");
      const lines = logged.filter(({ facts }) => Reflect.get(facts, "id") === id);
      expect(lines[0]).toEqual({
        message: `The tool ${name} failed: ${secret}`,
        facts: { id, attempt: 1, stack: expect.stringMatching(/^Error: ENOENT.*\n {4}at .*masked-errors\.test/) },
      });
      expect((await server.engine.readTask(id))?.record.error?.message).toBe(secret);
    }
  },
);

test.each(eras)("%s: strangers see nothing of why an attempt is made again (F10)", async (_era, of) => {
  const { server, caller } = await start({ verifyToken });
  const send = of(caller);
  const tasks = server.engine.forOwner("sub:alice");
  const { record } = await tasks.start({ tool: "tries_again", input: {} });
  await expect.poll(async () => (await tasks.get(record.id)).record.failures).toBe(1);
  const seen = await send("resources/read", { uri: `task://${record.id}/journal` });
  expect(seen.body).toContain("attempt_ended");
  expect(seen.body).not.toContain("secret");
});

test.each(eras)("%s: what a tool says to its caller is shown (F10)", async (_era, of) => {
  const { server, caller } = await start({ verifyToken });
  const send = of(caller);
  const { record } = await server.engine.forOwner("sub:alice").start({ tool: "speaks", input: {} });
  await server.engine.forOwner("sub:alice").wait(record.id, { timeoutMs: 20_000 });
  expect((await send("tools/call", { name: "get_task", arguments: { task_id: record.id } })).body).toContain(words);
});

test.each(eras.slice(0, 2))(
  "%s: strangers see nothing of what a handler of the server's own threw (F10)",
  async (_era, of) => {
    const { caller } = await start({ verifyToken });
    const send = of(caller);
    const replies = [
      await send("tools/call", { name: "own", arguments: {} }),
      await send("resources/read", { uri: "own://one" }),
      await send("prompts/get", { name: "own" }),
    ];
    for (const { body } of replies) {
      const [, id] = /The tool failed\. The server's log says why, under (\w{16})\./.exec(body) ?? [];
      expect(body).not.toContain("secret");
      expect(logged.filter(({ facts }) => Reflect.get(facts, "id") === id)).toEqual([
        {
          message: `A handler of the server's own failed: ${secret}`,
          facts: { id, stack: expect.stringMatching(/^Error: ENOENT/) },
        },
      ]);
    }
  },
);

test("the user of the machine sees what a tool threw, unless the operator says otherwise (F10)", async () => {
  const shows = async (options: Partial<ServeOptions>) => {
    const { caller } = await start(options);
    const called = [
      await caller.send2025("tools/call", { name: "fails", arguments: {} }),
      await caller.send2025("tools/call", { name: "own", arguments: {} }),
    ];
    return called.map(({ body }) => body.includes("secret"));
  };
  expect(await shows({})).toEqual([true, true]);
  expect(await shows({ maskErrors: true })).toEqual([false, false]);
  expect(await shows({ definition: { ...definition, maskErrors: true } })).toEqual([false, false]);
  expect(await shows({ verifyToken, maskErrors: false })).toEqual([true, true]);
  expect(await shows({ allowedHosts: ["tools.example"] })).toEqual([false, false]);
  expect(await shows({ trustedProxies: ["127.0.0.1"] })).toEqual([false, false]);
});
