import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFsStore } from "@resumable-mcp/store-fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, serve } from "../../src/index.js";
import { definition, makeTarget } from "../two-owners/foreign-target.js";
import { tokenCaller } from "../two-owners/raw-caller.js";
import { type BadCase, json, maxBodyBytes, request, send, type World } from "./bad-case.js";
import { cases2025 } from "./cases-2025.js";
import { cases2026 } from "./cases-2026.js";
import { casesBoth } from "./cases-both.js";

let server: RunningServer;
let folder = "";
let world: World;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bad-input-"));
  server = await serve({
    definition,
    store: createFsStore({ directory: folder, durability: "process" }),
    port: 0,
    verifyToken: (token) => ({ token, clientId: "stock", scopes: [], extra: { sub: token } }),
    limits: { drainTimeoutMs: 20, maxBodyBytes },
  });
  const caller = tokenCaller(server.url, "ada", "ada");
  const session = { ...json, "mcp-session-id": (await caller.initialize()).session };
  const call = { name: "gated", arguments: { label: "done", hold: false } };
  const { body } = await caller.send2025("tools/call", call, { headers: session });
  const [stream = "", place = "0"] = /^id: (\w+)\.(\d+)\ndata: \{/m.exec(body)?.slice(1) ?? [];
  world = { url: server.url, session, last: `${stream}.${place}`, ahead: `${stream}.${Number(place) + 1}` };
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const cases: readonly BadCase[] = [
  ...casesBoth,
  ...cases2025.map(([title, ...rest]): BadCase => [`2025: ${title}`, ...rest]),
  ...cases2026.map(([title, ...rest]): BadCase => [`2026: ${title}`, ...rest]),
];

test.each(cases)("%s: the specification's code, and a message that helps", async (_title, sent, ...expected) => {
  const [status, code, message] = expected;
  const answer = await send(world.url, sent(world));
  expect(answer).toEqual({ status, code, said: expect.stringMatching(message) });
  // Neither a stack nor what a validator says of itself.
  expect(answer.said).not.toMatch(/\n\s+at |node_modules|"path"/);
  // What was left of the body does not stand before the next request on the same connection.
  expect(await send(world.url, { headers: world.session, body: request("ping") })).toMatchObject({ said: "{}" });
});

test("answers to unknown and to already answered questions change nothing, in either era", async () => {
  const caller = tokenCaller(server.url, "ada", "ada");
  const { id } = await makeTarget("asking", caller, server.engine);
  const answered = async (key: string, name: string) => {
    const answer = { action: "accept", content: { name } };
    const { body } = await caller.send2026("tasks/update", { taskId: id, inputResponses: { [key]: answer } });
    const args = { task_id: id, key, ...answer };
    const control = await caller.send2025("tools/call", { name: "answer_task", arguments: args });
    return [JSON.parse(body).result?.resultType, /"code":"(\w+)"/.exec(control.body)?.[1]];
  };
  expect(await answered("none", "Eve")).toEqual(["complete", "UNKNOWN_QUESTION"]);
  const tasks = server.engine.forOwner("sub:ada");
  expect((await tasks.get(id)).status).toBe("input_required");
  // Once the task has gone on, it asks no such question any more.
  const late = expect.stringMatching(/^(ALREADY_ANSWERED|UNKNOWN_QUESTION)$/);
  expect(await answered("name", "Ada")).toEqual(["complete", late]);
  const { record } = await tasks.wait(id);
  expect(record.output).toMatchObject({ answer: "accept" });
  caller.close();
});
