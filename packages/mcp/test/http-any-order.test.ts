import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { createHandler2026 } from "../src/era-2026/index.js";
import { createBothErasHandler, createSessionHandler } from "../src/index.js";
import { createRandom, greet, someMessages } from "./any-order.js";

const orders = 200;
const version = "2026-07-28";

function endpoint() {
  const engine = createEngine({ store: createMemoryStore(), tools: [greet] });
  const definition = { name: "test", version: "1", tools: [greet] };
  const onError = () => {};
  const handler = createBothErasHandler({
    maxBodyBytes: 100_000,
    era2025: async () => createSessionHandler({ engine, definition, onError }),
    era2026: async () => {
      const options = { onError, singleUser: true };
      return createHandler2026({ engine, definition, ...options });
    },
  });
  const post = (message: object, headers: Record<string, string> = {}) =>
    handler.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
        body: JSON.stringify(message),
      }),
    );
  return { post, close: () => handler.close().then(() => engine.close()) };
}

/** The headers of one of the ways to send a message: right or wrong for it. */
function someHeaders(message: JsonObject, session: string, way: number): Record<string, string> {
  if (way === 0) return {};
  if (way === 1) return { "mcp-session-id": session };
  return { "mcp-protocol-version": version, "mcp-method": String(message.method), "mcp-name": greet.name };
}

/** The ids of the responses in an answer; `null` where a request was refused before its id was known. */
async function idsIn(response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
  const parts = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data ?? "") : [text];
  return parts.flatMap((part) => {
    const message = part === "" ? {} : JSON.parse(part);
    return "result" in message || "error" in message ? [message.id] : [];
  });
}

test("every request over HTTP gets one response, in any order of both eras' requests and with any headers", async () => {
  const { post, close } = endpoint();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  for (let seed = 1; seed <= orders; seed++) {
    const random = createRandom(seed);
    const opened = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = opened.headers.get("mcp-session-id") ?? "";
    const sent = someMessages(random).map((message) => ({
      message,
      headers: someHeaders(message, session, random(3)),
    }));
    const answers = await Promise.all(
      sent.map(async (one) => ({ ...one, ids: await idsIn(await post(one.message, one.headers)) })),
    );
    const wrong = answers.filter(({ message, ids }) => {
      if (message.id === undefined) return ids.some((id) => id !== null);
      return ids.length !== 1 || (ids[0] !== message.id && ids[0] !== null);
    });
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  }
  await close();
});
