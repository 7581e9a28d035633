import { createMemoryStore, defineTool, type JsonObject } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type RunningServer, type ServeOptions, serve } from "../src/index.js";
import { type RawCaller, rawCaller } from "./two-owners/raw-caller.js";

// The table of docs/auth.md: each of its cells is a test here.

/** Stands at a checkpoint until it is stopped. */
const stand = defineTool({
  name: "stand",
  description: "Stands at a checkpoint.",
  input: z.object({ label: z.string() }),
  state: {},
  async *run({ label }, task) {
    yield { progress: 1, total: 2, message: label };
    await new Promise((_resolve, reject) => task.signal.addEventListener("abort", reject));
    yield { progress: 2 };
    return label;
  },
});

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  run: async ({ name }) => ({ text: `Hello, ${name}!` }),
});

const bill = defineTool({
  name: "bill",
  description: "Writes the bill of a customer, which a client is here.",
  input: z.object({ client_id: z.union([z.string(), z.int()]) }),
  run: async ({ client_id }) => ({ bill: client_id }),
});

const definition = defineServer({ name: "who-asks", version: "1.0.0", tools: [stand, greet, bill] });

const eras = ["2025", "2026"] as const;
type Era = (typeof eras)[number];

/** Who calls, and how its requests say so. */
interface Row {
  readonly name: string;
  readonly headers?: Record<string, string>;
  /** In `_meta` of each request. */
  readonly clientId?: string;
  /** In the arguments of each call. */
  readonly argument?: string;
  /** When its session began, and no more. */
  readonly before?: string;
  /** Whose tasks it begins and lists: two rows of one owner list the same. `undefined`: it is refused. */
  readonly owner: (era: Era) => string | undefined;
}

const random = "6731a09a9cac4ba4f8d3e1f8309bed7f";
const another = "e324fb72e1cff4576f8e97c7ec71e0d4";
const other = { headers: { "x-forwarded-for": "192.0.2.1" } };
const tokenOf = (subject: string) => ({ headers: { authorization: `Bearer ${subject}` } });
const always = (owner: string) => () => owner;
const both = (in2025: string, in2026?: string) => (era: Era) => (era === "2025" ? in2025 : in2026);

/** A server by its options, and who asks it. */
const tables: Readonly<Record<string, { readonly options: Partial<ServeOptions>; readonly rows: readonly Row[] }>> = {
  "without tokens": {
    options: {},
    rows: [
      { name: "local, no client_id", owner: always("local: user") },
      { name: "local, no client_id, another session", owner: always("local: user") },
      { name: "local, a random client_id", clientId: random, owner: always("local: random") },
      { name: "local, the same as an argument", argument: random, owner: always("local: random") },
      { name: "local, the same when its session began", before: random, owner: both("local: random", "local: user") },
      { name: "local, a client_id of 8 characters", clientId: "laptop 1", owner: always("local: laptop 1") },
      {
        name: "local, a client_id of 7 characters",
        clientId: "laptop1",
        owner: both("local: in a session", "local: laptop1"),
      },
      { name: "other, a random client_id", ...other, clientId: random, owner: always("random") },
      { name: "other, the same as an argument", ...other, argument: random, owner: always("random") },
      { name: "other, another random client_id", ...other, clientId: another, owner: always("another") },
      { name: "other, a client_id of 8 characters", ...other, clientId: "laptop 1", owner: both("a session") },
      { name: "other, no client_id", ...other, owner: both("another session") },
    ],
  },
  "--owner session": {
    options: { ownerMode: "session" },
    rows: [
      { name: "no client_id", owner: both("a session") },
      { name: "no client_id, another session", owner: both("another session") },
      { name: "a client_id of 8 characters", clientId: "laptop 1", owner: both("a third session") },
      { name: "a random client_id", clientId: random, owner: always("random") },
    ],
  },
  "--owner single-user": {
    options: { ownerMode: "single-user" },
    rows: [
      { name: "through a proxy, no client_id", ...other, owner: always("local: user") },
      { name: "a client_id of 8 characters", ...other, clientId: "laptop 1", owner: always("local: laptop 1") },
    ],
  },
  "with tokens": {
    options: { verifyToken: (token) => ({ token, clientId: "program", scopes: [], extra: { sub: token } }) },
    rows: [
      { name: "a token", ...tokenOf("ada"), owner: always("ada") },
      { name: "a token, and a client_id", ...tokenOf("ada"), clientId: random, owner: always("ada") },
      { name: "a token, and an argument", ...tokenOf("ada"), argument: random, owner: always("ada") },
      { name: "a token of bob, and the same client_id", ...tokenOf("bob"), clientId: random, owner: always("bob") },
    ],
  },
};

/** One who sends what a row says, in one era. */
class Asker {
  readonly row: Row;
  readonly era: Era;
  readonly #caller: RawCaller;

  constructor(server: RunningServer, row: Row, era: Era) {
    this.row = row;
    this.era = era;
    const { headers = {}, clientId = era === "2025" ? row.before : undefined } = row;
    const identity = { subject: row.name, owner: undefined, headers };
    this.#caller = rawCaller(server.url, clientId === undefined ? identity : { ...identity, clientId });
    open.push(this.#caller.close);
  }

  get owner(): string | undefined {
    return this.row.owner(this.era);
  }

  async send(method: string, params: JsonObject, more: JsonObject = {}): Promise<string> {
    const { clientId } = this.row;
    const meta = { ...(clientId && { "resumable-mcp/client_id": clientId }), ...more };
    const send = this.era === "2025" ? this.#caller.send2025 : this.#caller.send2026;
    return (await send(method, params, { meta })).body;
  }

  call(name: string, given: JsonObject, meta?: JsonObject): Promise<string> {
    const { argument } = this.row;
    const args = argument === undefined ? given : { ...given, client_id: argument };
    return this.send("tools/call", { name, arguments: args }, meta);
  }

  /** Begins a task. */
  async begin(label: string): Promise<void> {
    await this.call("stand", { label }, { "resumable-mcp/handoff": 0 });
  }

  /** The ids that it lists. */
  async listed(): Promise<readonly string[]> {
    const body = await this.call("list_session_tasks", {});
    return [...body.matchAll(/"task_id":"([^"]+)"/g)].map(([, id]) => id ?? "");
  }

  /** By which ways it reads a task. */
  async waysTo(taskId: string): Promise<readonly string[]> {
    const uri = `task://${taskId}`;
    const bodies = {
      get_task: this.call("get_task", { task_id: taskId }),
      "tasks/get": this.send("tasks/get", { taskId }),
      "resources/read": this.send("resources/read", { uri }),
      subscription: this.era === "2025" ? this.send("resources/subscribe", { uri }) : this.#listen(uri),
    };
    const read = await Promise.all(
      Object.entries(bodies).map(async ([way, body]) => (/"(error|isError)"/.test(await body) ? [] : [way])),
    );
    return read.flat();
  }

  async #listen(uri: string): Promise<string> {
    const body = await this.send("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });
    return body.includes(uri) ? body : `{"error":${body}}`;
  }
}

const unnamedWays = ["tasks/get", "resources/read", "subscription"];

/** By which ways a caller should read a task of an owner. */
function expectedWays({ row, era, owner }: Asker, of: string): readonly string[] {
  const { clientId, argument, headers } = row;
  const isOwn = of === owner;
  const isLocal = [owner, of].every((one) => one?.startsWith("local"));
  if (clientId !== undefined) return isOwn ? ["get_task", ...unnamedWays] : [];
  const byCall = isOwn || (isLocal && argument === undefined) ? ["get_task"] : [];
  // In the 2026 era an argument of a call says nothing of other requests.
  const isKnown = era === "2025" || argument === undefined || headers?.authorization !== undefined;
  return [...byCall, ...(isLocal || (isOwn && isKnown) ? unnamedWays : [])];
}

const open: (() => unknown)[] = [];
const closeAll = async () => {
  for (const close of open.splice(0).reverse()) await close();
};

async function serveTable(options: Partial<ServeOptions>): Promise<RunningServer> {
  const limits = { drainTimeoutMs: 20 };
  const server = await serve({ definition, store: createMemoryStore(), port: 0, limits, ...options });
  open.push(() => server.close());
  return server;
}

describe.each(Object.entries(tables))("%s", (_name, { options, rows }) => {
  let askers: readonly Asker[];
  let begun: readonly { readonly id: string; readonly owner: string }[];

  /** Each begins a task in both eras. */
  beforeAll(async () => {
    const server = await serveTable(options);
    askers = rows.flatMap((row) => eras.map((era) => new Asker(server, row, era)));
    for (const asker of askers) await asker.begin(`${asker.row.name}, ${asker.era}`);
    begun = await Promise.all(
      server.engine.running.map(async (id) => {
        const input = (await server.engine.readTask(id))?.record.input;
        const by = askers.find(({ row, era }) => Reflect.get(Object(input), "label") === `${row.name}, ${era}`);
        return { id, owner: by?.owner ?? "none" };
      }),
    );
  });
  afterAll(closeAll);

  test.each(rows.flatMap(({ name }) => eras.map((era) => [name, era] as const)))(
    "%s: lists its own, and reads by its id what the table says, in %s (G10.1)",
    async (name, era) => {
      const asker = askers.find((one) => one.row.name === name && one.era === era);
      const own = begun.filter(({ owner }) => owner === asker?.owner).map(({ id }) => id);
      expect(own.length > 0).toBe(asker?.owner !== undefined);
      expect((await asker?.listed())?.toSorted()).toEqual(own.toSorted());
      const ofEach = new Map(begun.map((task) => [task.owner, task]));
      for (const { id, owner } of ofEach.values()) {
        expect([owner, await asker?.waysTo(id)]).toEqual([owner, asker && expectedWays(asker, owner)]);
      }
    },
  );
});

const rowOf = (name: string): Row =>
  tables["without tokens"]?.rows.find((row) => row.name === name) ?? { name, owner: always(name) };

describe("a client with the tasks extension that names itself by an argument", () => {
  afterAll(closeAll);
  const greet = (asker: Asker) => asker.call("greet", { name: "Ada" });

  test("gets a task that it can read, where it is local", async () => {
    const asker = new Asker(await serveTable({}), rowOf("local, the same as an argument"), "2026");
    const taskId = /"taskId":"([^"]+)"/.exec(await greet(asker))?.[1] ?? "none";
    await expect.poll(() => asker.send("tasks/get", { taskId })).toContain("Hello, Ada!");
  });

  test("gets the result itself, where it is not", async () => {
    const server = await serveTable({});
    const answer = await greet(new Asker(server, rowOf("other, the same as an argument"), "2026"));
    expect(answer).toContain("Hello, Ada!");
    expect(answer).not.toContain('"taskId"');
    expect(await greet(new Asker(server, rowOf("other, a random client_id"), "2026"))).toContain('"taskId"');
  });
});

test.each(eras)("a local request without a client_id steers what another one began, in %s", async (era) => {
  const server = await serveTable({});
  const unnamed = new Asker(server, rowOf("local, no client_id"), era);
  await new Asker(server, rowOf("local, a random client_id"), era).begin("steered");
  const [task_id = "none"] = server.engine.running;
  expect(await unnamed.call("pause_task", { task_id })).toContain("paused correctly");
  expect(await unnamed.send("tasks/cancel", { taskId: task_id })).toContain('"result"');
  await expect.poll(async () => (await server.engine.readTask(task_id))?.record.status).toBe("cancelled");
  await closeAll();
});

const [names, short, numbers] = [
  ["customer-1", "customer-2"],
  ["1", "2"],
  [1, 2],
];
const kinds = [
  { row: { name: "local" }, customers: names, owners: ["client:local/customer-1", "client:local/customer-2"] },
  { row: { name: "local" }, customers: short, owners: ["client:local/1", "client:local/2"] },
  { row: { name: "local" }, customers: numbers, owners: Array(2).fill("local:local") },
  { row: { ...other, clientId: random }, customers: names, owners: Array(2).fill(`client:${random}`) },
  { row: tokenOf("ada"), customers: names, owners: Array(2).fill("sub:ada"), table: "with tokens" },
  { row: tokenOf("ada"), customers: numbers, owners: Array(2).fill("sub:ada"), table: "with tokens" },
].flatMap((kind) => eras.map((era) => ({ ...kind, era })));

test.each(kinds)(
  "client_id in a tool's own schema is its data, $customers are two tasks, of $owners in $era (G7, G10)",
  async ({ row, customers, owners, table = "without tokens", era }) => {
    const store = createMemoryStore();
    const server = await serveTable({ ...tables[table]?.options, store });
    const asker = new Asker(server, { name: "any", owner: always("any"), ...row }, era);
    for (const client_id of customers) await asker.call("bill", { client_id });
    const { tasks } = await store.listTasks({ limit: 9 });
    const records = await Promise.all(tasks.map(async ({ id }) => (await server.engine.readTask(id))?.record));
    const begun = records.map((record) => JSON.stringify([record?.owner, record?.input])).toSorted();
    const expected = customers.map((client_id, index) => JSON.stringify([owners[index], { client_id }]));
    // A short text is a label in its session, where there is one.
    expect(begun.map((one) => one.replace(/local\/.+\//, "local/"))).toEqual(expected);
    await closeAll();
  },
);
