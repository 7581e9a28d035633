import type { Client } from "@modelcontextprotocol/client";
import type { RawClientDispatch } from "@modelcontextprotocol/ext-tasks/client";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";

/** How often and how long a request about a task is repeated while the server cannot be reached. */
const retries = { count: 20, delayMs: 250 };

/**
 * Sends requests past an SDK client, over its own transport, as `ext-tasks` needs it in the 2026 era: the client does
 * not know the answers that are tasks.
 *
 * @param patient repeats `tasks/*` while the server is down; these are safe to repeat.
 */
export function createRawDispatch({ transport }: Client, patient: boolean): RawClientDispatch {
  if (transport === undefined) throw new Error("The client is not connected.");
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const previous = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answer: JsonObject = JSON.parse(JSON.stringify(message));
    const settle = answer.method === undefined ? waiting.get(answer.id) : undefined;
    if (settle === undefined) return previous?.(message, extra);
    waiting.delete(answer.id);
    settle(answer);
  };
  let count = 0;
  const sendOnce = async (request: JsonObject): Promise<JsonObject> => {
    count += 1;
    const id = `raw-${count}`;
    const answered = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    await transport.send({ jsonrpc: "2.0", id, method: String(request.method), ...paramsOf(request) });
    return answered;
  };
  return async (request) => {
    if (!isJsonObject(request)) throw new Error("A request has to be an object.");
    const tries = patient && String(request.method).startsWith("tasks/") ? retries.count : 1;
    const { result = null, error } = await repeat(() => sendOnce(request), tries);
    if (!isJsonObject(error)) return { kind: "result", result };
    return { kind: "error", error: { code: Number(error.code), message: String(error.message) } };
  };
}

function paramsOf({ params }: JsonObject): { params?: JsonObject } {
  return isJsonObject(params) ? { params } : {};
}

async function repeat<Value>(run: () => Promise<Value>, tries: number): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (tries <= 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, retries.delayMs));
    return repeat(run, tries - 1);
  }
}
