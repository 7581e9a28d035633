import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMemoryStore, ResumableError, type Store } from "@resumable-mcp/core";
import { registerTools } from "@resumable-mcp/mcp";
import { metaKeys } from "@resumable-mcp/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openTokenFile } from "../../src/auth/token-file.js";
import { type RunningServer, serve } from "../../src/index.js";
import { checkDamaged, checkRoute } from "./check-route.js";
import { definition, makeTarget, release } from "./foreign-target.js";
import { type RawCaller, type Reply, request2026, tokenCaller } from "./raw-caller.js";
import { type Route, resourceParts } from "./route.js";
import { routes2025 } from "./routes-2025.js";
import { routes2026 } from "./routes-2026.js";

/** Tasks whose files cannot be read any more. */
const damaged = new Set<string>();

/** A store that says of damaged tasks what real ones say. */
function withDamage(store: Store): Store {
  const refuse = (id: string, owner?: string) => {
    if (!damaged.has(id)) return;
    throw new ResumableError("TASK_CORRUPT", `The files of task ${id} are damaged.`, {
      details: { taskId: id, path: "quarantine", owner },
    });
  };
  return {
    ...store,
    async getTask(id) {
      const snapshot = await store.getTask(id);
      refuse(id, snapshot?.record.owner);
      return snapshot;
    },
    async createTask(request) {
      refuse(request.task.id);
      return store.createTask(request);
    },
    async signal(id, signal) {
      refuse(id);
      return store.signal(id, signal);
    },
  };
}

let server: RunningServer;
let callers: { readonly alice: RawCaller; readonly bob: RawCaller; readonly carol: RawCaller };
const tokenOf = (subject: string) => `token-of-${subject}-0123456789`;

/** Every route meets a server of its own, whose callers have done nothing yet. */
beforeEach(async () => {
  const file = join(tokens, "tokens");
  server = await serve({
    definition,
    store: withDamage(createMemoryStore()),
    port: 0,
    verifyToken: (await openTokenFile(file, { onWarning: () => {} })).verifyToken,
    limits: { drainTimeoutMs: 20 },
  });
  const caller = (subject: string) => tokenCaller(server.url, subject, tokenOf(subject));
  callers = { alice: caller("alice"), bob: caller("bob"), carol: caller("carol") };
});
afterEach(async () => {
  for (const caller of Object.values(callers)) caller.close();
  damaged.clear();
  await server.close();
});

let tokens: string;
beforeAll(async () => {
  tokens = await mkdtemp(join(tmpdir(), "two-owners-"));
  const lines = ["alice", "bob", "carol"].map((subject) => `${tokenOf(subject)} ${subject}\n`);
  await writeFile(join(tokens, "tokens"), lines.join(""), { mode: 0o600 });
});
afterAll(() => rm(tokens, { recursive: true }));

test.each(routes2025)("2025: what another owns is like nothing at all to: $name (G10.1)", (route) =>
  checkRoute(route, callers, server.engine),
);
test.each(routes2026)("2026: what another owns is like nothing at all to: $name (G10.1)", (route) =>
  checkRoute(route, callers, server.engine),
);

const ofTasks = ({ kind }: Route) => ["running", "asking", "paused", "done"].includes(kind);

test.each(routes2025.filter(ofTasks))(
  "2025: what another owns and is damaged is like nothing at all to: $name (G10.1)",
  (route) => checkDamaged(route, callers, server.engine, damaged),
);
test.each(routes2026.filter(ofTasks))(
  "2026: what another owns and is damaged is like nothing at all to: $name (G10.1)",
  (route) => checkDamaged(route, callers, server.engine, damaged),
);

test("a subscription that names another's task among one's own hears only of one's own (G10)", async () => {
  const { alice, bob } = callers;
  const [foreign, own] = [
    await makeTarget("running", alice, server.engine),
    await makeTarget("running", bob, server.engine),
  ];
  const taskIds = [foreign.id, own.id];
  const resourceSubscriptions = taskIds.flatMap((id) => resourceParts.map((part) => `task://${id}${part}`));
  const { message, headers } = request2026("subscriptions/listen", {
    notifications: { taskIds, resourceSubscriptions },
  });
  const [readAlice, readBob] = await Promise.all([alice.stream(message, headers), bob.stream(message, headers)]);
  release(foreign);
  await readAlice((text) => text.includes('"status":"completed"'));
  release(own);
  const heard = await readBob((text) => text.includes('"status":"completed"'));
  expect(heard).toContain(own.id);
  expect(heard).not.toContain(foreign.id);
});

/** What a server offers, in the words of the routes' `covers`. */
async function offered(
  list: (method: string) => Promise<Reply>,
  methods: readonly string[],
): Promise<readonly string[]> {
  const entriesOf = async (method: string, key: string): Promise<readonly Record<string, string>[]> => {
    const { body } = await list(method);
    const json = body.startsWith("{") ? body : (/^data: (\{.*)$/m.exec(body)?.[1] ?? "");
    return JSON.parse(json).result[key];
  };
  const [tools, templates, prompts] = await Promise.all([
    entriesOf("tools/list", "tools"),
    entriesOf("resources/templates/list", "resourceTemplates"),
    entriesOf("prompts/list", "prompts"),
  ]);
  return [
    ...tools.map(({ name }) => `tool ${name}`),
    ...templates.map(({ uriTemplate }) => `resource ${uriTemplate}`),
    ...prompts.map(({ name }) => `prompt ${name}`),
    ...methods.map((method) => `method ${method}`),
  ];
}

/** What a request's `_meta` may carry to name a task, a call or an owner. */
const namingKeys = ["clientId", "allOwners", "callId", "taskId", "redelivered", "requestId"] as const;
const covered = (routes: readonly Route[]) => new Set(routes.flatMap(({ covers }) => covers));

async function methods2025(): Promise<readonly string[]> {
  const sdk = new McpServer(definition);
  registerTools(sdk, server.engine);
  await definition.setup?.(sdk);
  const handlers: unknown = Reflect.get(sdk.server, "_requestHandlers");
  return handlers instanceof Map ? [...handlers.keys()] : [];
}

/** Those of all methods that a server of the 2026 era answers. */
async function methods2026(): Promise<readonly string[]> {
  const all = [...(await methods2025()), "server/discover", "tasks/update", "completion/complete"];
  const isAnswered = async (method: string) => !(await callers.carol.send2026(method)).body.includes('"code":-32601');
  const answered = await Promise.all(all.map(isAnswered));
  return all.filter((_method, index) => answered[index]);
}

test("no tool, method, resource, prompt or key of the 2025 era is without a route (G10)", async () => {
  const all = await offered((method) => callers.carol.send2025(method), await methods2025());
  const names = [...all, ...namingKeys.map((key) => `_meta ${metaKeys[key]}`)];
  const exempt = ["tool ordinary"];
  expect(names.filter((name) => !covered(routes2025).has(name))).toEqual(exempt);
});

test("no tool, method, resource, prompt or key of the 2026 era is without a route (G10)", async () => {
  const all = await offered((method) => callers.carol.send2026(method), await methods2026());
  const names = [...all, "method subscriptions/listen", ...namingKeys.map((key) => `_meta ${metaKeys[key]}`)];
  expect(names.filter((name) => !covered(routes2026).has(name))).toEqual([]);
});
