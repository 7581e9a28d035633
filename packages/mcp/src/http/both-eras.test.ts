import { expect, test } from "vitest";
import { createBothErasHandler } from "./both-eras.js";

const version = "2026-07-28";

function endpoint() {
  const loaded: string[] = [];
  const era = (name: string) => async () => {
    loaded.push(name);
    return { fetch: async () => new Response(name), close: async () => void loaded.push(`${name} closed`) };
  };
  const handler = createBothErasHandler({ era2025: era("2025"), era2026: era("2026"), maxBodyBytes: 1_000 });
  const ask = async (body: unknown, headers: Record<string, string> = {}, method = "POST") => {
    const init = method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {};
    const all = { "content-type": "application/json", ...headers };
    return handler.fetch(new Request("http://127.0.0.1/mcp", { method, headers: all, ...init }));
  };
  return { handler, loaded, ask, eraOf: async (...request: Parameters<typeof ask>) => (await ask(...request)).text() };
}

const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const envelope = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

test("a request belongs to the 2026 era when its _meta or its header says so", async () => {
  const { eraOf } = endpoint();
  expect(await eraOf(message("tools/list", envelope))).toBe("2026");
  expect(await eraOf(message("tools/list"), { "mcp-protocol-version": version })).toBe("2026");
  expect(
    await eraOf(message("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2027-01-01" } })),
  ).toBe("2026");
});

test("everything else belongs to the 2025 era", async () => {
  const { eraOf } = endpoint();
  expect(await eraOf(message("initialize", { protocolVersion: "2025-11-25" }))).toBe("2025");
  expect(await eraOf(message("tools/list"), { "mcp-protocol-version": "2025-11-25" })).toBe("2025");
  expect(await eraOf({ jsonrpc: "2.0", id: 1, result: {} })).toBe("2025");
  expect(await eraOf([message("ping")])).toBe("2025");
  expect(await eraOf(undefined, {}, "GET")).toBe("2025");
  expect(await eraOf(undefined, {}, "DELETE")).toBe("2025");
});

test("an era is made at its first request, once, and only what was made is closed", async () => {
  const { loaded, eraOf, handler } = endpoint();
  await Promise.all([eraOf(message("ping")), eraOf(message("ping"))]);
  await handler.close();
  expect(loaded).toEqual(["2025", "2025 closed"]);
});

test.each([
  ["another content type", "{}", { "content-type": "text/plain" }, 415],
  ["no JSON", "{", {}, 400],
  ["a body over the limit", JSON.stringify("x".repeat(2_000)), {}, 413],
])("refuses %s before any era is made", async (_name, body, headers, status) => {
  const { ask, loaded } = endpoint();
  expect((await ask(body, headers)).status).toBe(status);
  expect(loaded).toEqual([]);
});
