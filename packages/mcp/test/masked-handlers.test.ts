import { completable as completable2025 } from "@modelcontextprotocol/sdk/server/completable.js";
import {
  McpServer as McpServer2025,
  ResourceTemplate as ResourceTemplate2025,
} from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  completable as completable2026,
  McpServer as McpServer2026,
  ResourceTemplate as ResourceTemplate2026,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { maskHandlers } from "../src/call/mask-handlers.js";
import { createThrownMask } from "../src/call/mask-thrown.js";
import { findHandler, forSdk, openRegistry } from "../src/sdk-workarounds.js";

const sdks = {
  "2025": {
    McpServer: McpServer2025,
    ResourceTemplate: ResourceTemplate2025,
    argsSchema: () => ({ city: completable2025(forSdk(z.string()), fail) }),
  },
  "2026": {
    McpServer: McpServer2026,
    ResourceTemplate: ResourceTemplate2026,
    argsSchema: () => z.object({ city: forSdk(completable2026(forSdk(z.string()), fail)) }),
  },
};
const eras = ["2025", "2026"] as const;

const secret = "connect ECONNREFUSED db.internal:5432";
const fail = (): never => {
  // As Node's own errors have one.
  throw Object.assign(new Error(secret), { code: "ECONNREFUSED" });
};

interface LowLevel {
  setRequestHandler(...given: readonly unknown[]): void;
}

/** A server whose own resources and prompts fail wherever they can, and the log of its operator. */
function openServer(era: (typeof eras)[number]) {
  const { McpServer, ResourceTemplate, argsSchema } = sdks[era];
  const logged: { readonly error: unknown; readonly id: string }[] = [];
  const server = new McpServer({ name: "own", version: "1" }, { capabilities: { resources: {}, prompts: {} } });
  maskHandlers(
    server,
    createThrownMask((error, id) => logged.push({ error, id })),
  );
  const template = new ResourceTemplate("own://{city}", { list: fail, complete: { city: fail } });
  for (const name of ["cities", "places"]) openRegistry(server).registerResource(name, template, {}, fail);
  openRegistry(server).registerPrompt("greet", { argsSchema: argsSchema() }, fail);
  const low: LowLevel = forSdk(server.server);
  if (era === "2025") low.setRequestHandler(z.looseObject({ method: z.literal("own/ask") }), fail);
  else low.setRequestHandler("own/ask", { params: z.looseObject({}) }, fail);
  const ask = async (method: string, params: JsonObject): Promise<unknown> => {
    const handle = findHandler<object>(server.server, method);
    const envelope = { signal: new AbortController().signal, mcpReq: { signal: new AbortController().signal } };
    return await handle?.({ method, params }, envelope).catch((error: unknown) => error);
  };
  return { ask, logged, template };
}

test.each(eras)("%s: what lists and completions of a server's own throw is hidden (F10)", async (era) => {
  const { ask, logged, template } = openServer(era);
  const argument = { name: "city", value: "P" };
  const answers = [
    await ask("resources/list", {}),
    await ask("completion/complete", { ref: { type: "ref/resource", uri: "own://{city}" }, argument }),
    await ask("completion/complete", { ref: { type: "ref/prompt", name: "greet" }, argument }),
  ];
  const shown = logged.map(({ id }) => `The tool failed. The server's log says why, under ${id}.`);
  expect(answers.map((answer) => (answer instanceof Error ? answer.message : answer))).toEqual(shown);
  expect(logged.map(({ error }) => String(error))).toEqual(answers.map(() => `Error: ${secret}`));
  // It may serve other connections, too.
  expect(template.listCallback).toBe(fail);
});

test.each(eras)("%s: what a handler of the low-level server throws is hidden (F10)", async (era) => {
  const { ask, logged } = openServer(era);
  const answer = await ask("own/ask", {});
  expect(String(answer)).toBe(`Error: The tool failed. The server's log says why, under ${logged[0]?.id}.`);
  expect(logged.map(({ error }) => String(error))).toEqual([`Error: ${secret}`]);
});

test.each([
  ["of the operating system", 5432],
  ["next to those of JSON-RPC", -31_999],
])("an error with a code %s is hidden, too (F10)", async (_whose, code) => {
  const throwing = (): never => {
    throw Object.assign(new Error(secret), { code });
  };
  const server = new McpServer2025({ name: "own", version: "1" });
  maskHandlers(
    server,
    createThrownMask(() => {}),
  );
  const low: LowLevel = forSdk(server.server);
  low.setRequestHandler(z.looseObject({ method: z.literal("own/ask") }), throwing);
  const handle = findHandler<object>(server.server, "own/ask");
  const answer = handle?.({ method: "own/ask", params: {} }, { signal: new AbortController().signal });
  await expect(answer).rejects.toThrow(/^The tool failed\. The server's log says why/);
});

test("2025: what a tool of the SDK's own tasks throws is hidden (F10)", async () => {
  const ids: string[] = [];
  const server = new McpServer2025({ name: "own", version: "1" });
  maskHandlers(
    server,
    createThrownMask((_error, id) => ids.push(id)),
  );
  const handler = { createTask: fail, getTask: fail, getTaskResult: fail };
  const config = { inputSchema: { city: z.string() }, execution: { taskSupport: "optional" } };
  server.experimental.tasks.registerToolTask("slow", forSdk(config), handler);
  const call = { method: "tools/call", params: { name: "slow", arguments: { city: "P" } } };
  const handle = findHandler<object>(server.server, call.method);
  const answer = await handle?.(call, { taskStore: {}, signal: new AbortController().signal });
  const text = `The tool failed. The server's log says why, under ${ids[0]}.`;
  expect(answer).toMatchObject({ isError: true, content: [{ type: "text", text }] });
});

test.each(eras)("%s: what the SDK itself says of a completion is shown", async (era) => {
  const { ask, logged } = openServer(era);
  const ref = { type: "ref/prompt", name: "none" };
  const answer = await ask("completion/complete", { ref, argument: { name: "city", value: "P" } });
  expect(String(answer)).toMatch(/Prompt none not found/);
  expect(logged).toEqual([]);
});

test.each(eras)("%s: code that an update puts in place of other code is hidden, too (F10)", async (era) => {
  const { McpServer } = sdks[era];
  const logged: unknown[] = [];
  const server = new McpServer({ name: "own", version: "1" }, { capabilities: { tools: {}, prompts: {} } });
  maskHandlers(
    server,
    createThrownMask((error) => logged.push(error)),
  );
  const registry = openRegistry(server);
  const registered = [
    registry.registerTool("ask", {}, () => ({ content: [] })),
    registry.registerPrompt("greet", {}, () => ({ messages: [] })),
  ];
  for (const one of registered) Reflect.apply(Reflect.get(Object(one), "update"), one, [{ callback: fail }]);
  const { signal } = new AbortController();
  const envelope = { signal, mcpReq: { signal, requestState: () => undefined } };
  const answers: string[] = [];
  for (const [method, name] of [
    ["tools/call", "ask"],
    ["prompts/get", "greet"],
  ] as const) {
    const handle = findHandler<object>(server.server, method);
    const answer = await handle?.({ method, params: { name, arguments: {} } }, envelope).catch(String);
    answers.push(JSON.stringify(answer));
  }
  expect(logged.map(String)).toEqual([`Error: ${secret}`, `Error: ${secret}`]);
  for (const answer of answers) expect(answer).toMatch(/The server's log says why/);
});
