import { createMemoryStore, defineTool, type JsonObject } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AuditEntry, createAuditLog } from "../src/audit-log.js";
import { type RunningServer, type ServeOptions, serve } from "../src/index.js";
import { type RawCaller, type Reply, rawCaller, tokenCaller } from "./two-owners/raw-caller.js";

const wait = defineTool({
  name: "wait",
  description: "Asks, and so waits.",
  input: z.object({ of: z.string() }),
  state: {},
  async *run(_, task) {
    yield { progress: 1, append: ["an item"] };
    await task.ask("name", { message: "Who?", schema: z.object({ name: z.string() }) });
    return {};
  },
});
const fail = defineTool({
  name: "fail",
  description: "Fails.",
  input: z.object({ of: z.string() }),
  // biome-ignore lint/correctness/useYield: it fails at once.
  async *run() {
    throw new Error("broken");
  },
});
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  requiredScopes: ["pay"],
  input: z.object({ of: z.string() }),
  run: async () => ({ paid: 1 }),
});
const definition = defineServer({
  name: "operators",
  version: "1.0.0",
  tools: [wait, fail, pay],
  panel: "<!doctype html><html><head></head><body></body></html>",
});

/** Tokens of the form `<subject>` or `<subject>+<scope>`. */
const verifyToken: NonNullable<ServeOptions["verifyToken"]> = (token) => {
  const [sub = "", ...scopes] = token.split("+");
  return { token, clientId: "app", scopes, extra: { sub } };
};

const lines: AuditEntry[] = [];
let server: RunningServer;
const callers: RawCaller[] = [];

async function open(options: Partial<ServeOptions>): Promise<void> {
  const audit = createAuditLog((entry) => lines.push(entry), { perSecond: 100, nowMs: () => 0 });
  const all = { definition, store: createMemoryStore(), port: 0, audit, limits: { drainTimeoutMs: 20 } };
  server = await serve({ ...all, ...options });
}
const withTokens = { verifyToken, operatorScope: "look", operatorActScope: "act" };

beforeEach(() => open(withTokens));
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.close();
  lines.length = 0;
  await server.close();
});

function as(token: string): RawCaller {
  const caller = tokenCaller(server.url, token, token);
  callers.push(caller);
  return caller;
}

const all = { "resumable-mcp/all_owners": true };
type Ask = (caller: RawCaller, name: string, args?: JsonObject, meta?: JsonObject) => Promise<JsonObject>;

function contentOf({ body }: Reply): JsonObject {
  const text = body.startsWith("{") ? body : (/^data: (\{.*\})$/m.exec(body.replace(/^data: \n/gm, ""))?.[1] ?? "");
  return JSON.parse(text).result.structuredContent;
}

const eras: readonly (readonly [string, Ask])[] = [
  [
    "2025",
    async (caller, name, args = {}, meta = all) =>
      contentOf(await caller.send2025("tools/call", { name, arguments: args }, { meta })),
  ],
  [
    "2026",
    async (caller, name, args = {}, meta = all) =>
      contentOf(await caller.send2026("tools/call", { name, arguments: args }, { meta })),
  ],
];

/** A task of an owner that has come as far as it comes by itself. */
async function begin(owner: string, tool: string): Promise<string> {
  const tasks = server.engine.forOwner(owner);
  const { record } = await tasks.start({ tool, input: { of: owner }, detached: true });
  await tasks.wait(record.id, {});
  return record.id;
}

describe.each(eras)("%s", (_era, ask) => {
  test("an operator reads the tasks of all owners, each with its owner, and which tools fail", async () => {
    const [waiting, failed] = [await begin("sub:alice", "wait"), await begin("sub:bob", "fail")];
    const operator = as("eve+look");
    const listed = await ask(operator, "list_session_tasks");
    expect(listed).toMatchObject({ total_tasks: 2 });
    expect(new Set((listed.tasks as JsonObject[]).map(({ task_id, owner }) => `${owner} ${task_id}`))).toEqual(
      new Set([`sub:alice ${waiting}`, `sub:bob ${failed}`]),
    );
    expect(await ask(operator, "get_task", { task_id: waiting })).toMatchObject({ owner: "sub:alice" });
    expect(await ask(operator, "get_task_items", { task_id: waiting })).toMatchObject({ items: ["an item"] });
    expect(await ask(operator, "get_task_journal", { task_id: waiting })).toMatchObject({
      arguments: { of: "sub:alice" },
    });
    expect(await ask(operator, "get_checkpoint_stats")).toMatchObject({
      checkpoint_stats: { failed: 1, input_required: 1 },
      failed_by_tool: { fail: 1 },
    });
    // Without asking for them they see their own alone, as everybody.
    expect(await ask(operator, "list_session_tasks", {}, {})).toMatchObject({ total_tasks: 0, tasks: [] });
    expect(await ask(operator, "get_task", { task_id: waiting }, {})).toMatchObject({
      error: { code: "TASK_NOT_FOUND" },
    });
    const looks = lines.filter(({ allOwners }) => allOwners === true);
    expect(looks.map(({ who, name }) => `${who} ${name}`)).toEqual(
      ["list_session_tasks", "get_task", "get_task_items", "get_task_journal", "get_checkpoint_stats"].map((name) =>
        `sub:eve+look ${name}`.replace("+look", ""),
      ),
    );
  });

  test("an operator changes tasks of others only with the scope for it, and never answers for them", async () => {
    const id = await begin("sub:alice", "wait");
    const state = async () => JSON.stringify(await server.engine.readTask(id));
    const before = await state();
    for (const name of ["pause_task", "resume_task", "cancel_task", "delete_task"])
      expect(await ask(as("eve+look"), name, { task_id: id })).toMatchObject({ error: { code: "FORBIDDEN" } });
    const answer = { task_id: id, key: "name", action: "accept", content: { name: "Eve" } };
    for (const token of ["eve+look", "eve+act"])
      for (const [name, args] of [
        ["answer_task", answer],
        ["answer_question", answer],
        ["restart_task", { task_id: id }],
        ["wait_for_task", { task_id: id, timeout_seconds: 0 }],
      ] as const)
        expect(await ask(as(token), name, args)).toMatchObject({ error: { code: "FORBIDDEN" } });
    expect(await state()).toBe(before);
    const operator = as("eve+act");
    expect(await ask(operator, "cancel_task", { task_id: id })).toMatchObject({ owner: "sub:alice" });
    const { status } = await server.engine.forOwner("sub:alice").wait(id);
    expect(status).toBe("cancelled");
    expect(await ask(operator, "delete_task", { task_id: id })).toEqual({ deleted: id });
    expect(await server.engine.readTask(id)).toBeUndefined();
  });

  test("what a tool requires of a token counts for operators too", async () => {
    const id = await begin("sub:alice", "pay");
    expect(await ask(as("eve+look"), "list_session_tasks")).toMatchObject({ tasks: [] });
    expect(await ask(as("eve+look"), "get_task", { task_id: id })).toMatchObject({
      error: { code: "INSUFFICIENT_SCOPE" },
    });
    expect(await ask(as("eve+look+pay"), "get_task", { task_id: id })).toMatchObject({ owner: "sub:alice" });
  });

  test("the key means nothing for a call of a tool, which begins a task of its caller", async () => {
    await begin("sub:alice", "pay");
    await ask(as("eve+look+pay"), "pay", { of: "eve" });
    const owners = (await server.engine.forOwner("sub:eve").list()).tasks.map(({ owner }) => owner);
    expect(owners).toEqual(["sub:eve"]);
  });
});

test.each(eras)("%s: without the settings no token is an operator's", async (_era, ask) => {
  await server.close();
  await open({ verifyToken });
  const id = await begin("sub:alice", "wait");
  for (const token of ["eve+look", "eve+act", "alice"])
    expect(await ask(as(token), "get_task", { task_id: id })).toMatchObject({ error: { code: "FORBIDDEN" } });
});

test.each(eras)(
  "%s: on a server without tokens the user of this machine is one, and no client with a name",
  async (_era, ask) => {
    await server.close();
    await open({});
    const id = await begin("client:elsewhere", "wait");
    const identity = { subject: "local", owner: "local:local", headers: {} };
    const user = rawCaller(server.url, identity);
    const named = rawCaller(server.url, { ...identity, clientId: "a-local-client" });
    const stranger = rawCaller(server.url, { ...identity, headers: { "x-forwarded-for": "192.0.2.1" } });
    callers.push(user, named, stranger);
    const own = { "resumable-mcp/client_id": "a-local-client" };
    expect(await ask(user, "get_task", { task_id: id })).toMatchObject({ owner: "client:elsewhere" });
    expect(await ask(named, "get_task", { task_id: id }, { ...all, ...own })).toMatchObject({
      error: { code: "FORBIDDEN" },
    });
    const random = { "resumable-mcp/client_id": "0b7f9d3e5c1a48f2b6d4e8a09c3f7152" };
    const refused = await ask(stranger, "get_task", { task_id: id }, { ...all, ...random });
    expect(refused).toMatchObject({ error: { code: "FORBIDDEN" } });
  },
);
