import { completable as completable2025 } from "@modelcontextprotocol/sdk/server/completable.js";
import { ResourceTemplate as ResourceTemplate2025 } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  completable as completable2026,
  InMemoryServerEventBus,
  ResourceTemplate as ResourceTemplate2026,
} from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createThrownMask } from "../src/call/mask-thrown.js";
import { setupServer } from "../src/era-2025/setup.js";
import { SetupServer } from "../src/era-2026/setup-server.js";
import { makeNotifier } from "../src/era-2026/subscriptions/listener.js";
import { findHandler, forSdk, openRegistry } from "../src/sdk-workarounds.js";

const sdks = {
  "2025": {
    ResourceTemplate: ResourceTemplate2025,
    argsSchema: () => ({ city: completable2025(forSdk(z.string()), fail) }),
  },
  "2026": {
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

/** The server that a definition's code is given, what asks it, and the log of its operator. */
async function openServer(era: (typeof eras)[number], setup: (server: object, low: LowLevel) => void) {
  const logged: { readonly error: unknown; readonly id: string }[] = [];
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  onTestFinished(() => engine.close());
  const options = { maskThrown: createThrownMask((error, id) => logged.push({ error, id })) };
  const give = (mcp: { readonly server: object }) => setup(mcp, forSdk(mcp.server));
  const definition = { name: "own", version: "1", tools: [], setup: give, setup2026: give };
  const parts = {
    changes: makeNotifier(new InMemoryServerEventBus()),
    callTool: async () => ({}),
    onOther: undefined,
  };
  const server =
    era === "2025"
      ? await setupServer(definition, engine, options)
      : (await SetupServer.build(definition, engine, options, parts)).mcp;
  const ask = async (method: string, params: JsonObject): Promise<unknown> => {
    const handle = findHandler<object>(Object(server).server, method);
    const { signal } = new AbortController();
    const envelope = { signal, mcpReq: { signal, requestState: () => undefined } };
    return await handle?.({ method, params }, envelope).catch((error: unknown) => error);
  };
  return { ask, logged };
}

/** A server whose own resources and prompts fail wherever they can. */
async function openFailing(era: (typeof eras)[number]) {
  const { ResourceTemplate, argsSchema } = sdks[era];
  const template = new ResourceTemplate("own://{city}", { list: fail, complete: { city: fail } });
  const opened = await openServer(era, (server, low) => {
    for (const name of ["cities", "places"]) openRegistry(server).registerResource(name, template, {}, fail);
    openRegistry(server).registerPrompt("greet", { argsSchema: argsSchema() }, fail);
    if (era === "2025") low.setRequestHandler(z.looseObject({ method: z.literal("own/ask") }), fail);
    else low.setRequestHandler("own/ask", { params: z.looseObject({}) }, fail);
  });
  return { ...opened, template };
}

test.each(eras)("%s: what lists and completions of a server's own throw is hidden (F10)", async (era) => {
  const { ask, logged, template } = await openFailing(era);
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
  const { ask, logged } = await openFailing(era);
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
  const { ask } = await openServer("2025", (_server, low) =>
    low.setRequestHandler(z.looseObject({ method: z.literal("own/ask") }), throwing),
  );
  expect(String(await ask("own/ask", {}))).toMatch(/^Error: The tool failed\. The server's log says why/);
});

test.each(eras)("%s: what the SDK itself says of a completion is shown", async (era) => {
  const { ask, logged } = await openFailing(era);
  const ref = { type: "ref/prompt", name: "none" };
  const answer = await ask("completion/complete", { ref, argument: { name: "city", value: "P" } });
  expect(String(answer)).toMatch(/Prompt none not found/);
  expect(logged).toEqual([]);
});

test.each(eras)("%s: code that an update puts in place of other code is hidden, too (F10)", async (era) => {
  const { ask, logged } = await openServer(era, (server) => {
    const registry = openRegistry(server);
    const registered = [
      registry.registerTool("ask", {}, () => ({ content: [] })),
      registry.registerPrompt("greet", {}, () => ({ messages: [] })),
    ];
    for (const one of registered) Reflect.apply(Reflect.get(Object(one), "update"), one, [{ callback: fail }]);
  });
  const answers: string[] = [];
  for (const [method, name] of [
    ["tools/call", "ask"],
    ["prompts/get", "greet"],
  ] as const) {
    const answer = await ask(method, { name, arguments: {} });
    answers.push(answer instanceof Error ? String(answer) : JSON.stringify(answer));
  }
  expect(logged.map(({ error }) => String(error))).toEqual([`Error: ${secret}`, `Error: ${secret}`]);
  for (const answer of answers) expect(answer).toMatch(/The server's log says why/);
});
