import {
  allOwnersUses,
  appMimeType,
  appsExtension,
  envelopeKeys,
  isJsonObject,
  type JsonObject,
  metaKeys,
  parseJson,
} from "@resumable-mcp/protocol";
import { createParser } from "eventsource-parser";
import { panelName } from "../version.js";
import { CallError, callTimeoutMs, type PanelTool, readToolResult } from "./connection.js";

/** The revision of MCP that the page speaks: each call is one request of its own. */
const revision = "2026-07-28";
/** A longer response is not read: nothing that the panel asks for is as long. */
const maxResponseCharacters = 64_000_000;
/** What the server's own page can show, so that it is offered what apps are offered. Source: MCP Apps 2026-01-26. */
const extensions = { [appsExtension]: { mimeTypes: [appMimeType] } };

/** Where to, and who calls. */
export interface PostTarget {
  readonly endpoint: string;
  readonly prefix: string;
  readonly token?: string | undefined;
  /** The tasks of all owners are meant. */
  readonly allOwners?: boolean | undefined;
}

let lastId = 0;

/** Calls a control tool by one POST. Rejects with a {@link CallError} alone. Source: MCP 2026-07-28, Streamable HTTP. */
export async function postCall(target: PostTarget, tool: PanelTool, args: JsonObject): Promise<JsonObject> {
  lastId += 1;
  const id = lastId;
  const response = await fetch(target.endpoint, requestOf(target, { id, tool, args })).catch((error: unknown) => {
    throw new CallError("away", awayText(error));
  });
  if (response.status === 401) throw new CallError("signed_out", "HTTP 401");
  const text = await readText(response);
  const message = messageIn(response.headers.get("content-type") ?? "", text, id);
  if (isJsonObject(message?.result)) return readToolResult(message.result);
  throw errorOf(response.status, message);
}

/** Reads a file of a task by its address behind the endpoint. Rejects with a {@link CallError} alone. */
export async function getFile(
  { endpoint, token }: Pick<PostTarget, "endpoint" | "token">,
  taskId: string,
  name: string,
): Promise<Blob> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const address = `${endpoint}/artifacts/${taskId}/${encodeURIComponent(name)}`;
  try {
    const response = await fetch(address, { headers, cache: "no-store" });
    if (response.ok) return await response.blob();
    throw new CallError(response.status === 401 ? "signed_out" : "refused", `HTTP ${response.status}`);
  } catch (error) {
    throw error instanceof CallError ? error : new CallError("away", awayText(error));
  }
}

/** What browsers say of a request without an answer is neither the same nor for people. */
function awayText(error: unknown): string {
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  return isLate ? `no answer within ${callTimeoutMs / 1_000} s` : "no connection";
}

function requestOf(
  { prefix, token, allOwners = false }: PostTarget,
  { id, tool, args }: { readonly id: number; readonly tool: PanelTool; readonly args: JsonObject },
): RequestInit {
  const name = `${prefix}${tool}`;
  const _meta = {
    [envelopeKeys.protocolVersion]: revision,
    [envelopeKeys.clientInfo]: panelName,
    [envelopeKeys.clientCapabilities]: { extensions },
    ...(allOwners && allOwnersUses[tool] !== undefined && { [metaKeys.allOwners]: true }),
  };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": "tools/call",
    "mcp-name": name,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta } });
  return { method: "POST", headers, body, cache: "no-store", signal: AbortSignal.timeout(callTimeoutMs) };
}

/** Reads a response to its end, or to the limit. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  try {
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length <= maxResponseCharacters) continue;
      await reader?.cancel();
      throw new CallError("refused", `The response has more than ${maxResponseCharacters} characters.`);
    }
  } catch (error) {
    throw error instanceof CallError ? error : new CallError("away", String(error));
  }
  return text;
}

/** The message with this id, of a response that is JSON or a stream of events. */
function messageIn(contentType: string, text: string, id: number): JsonObject | undefined {
  const texts = contentType.startsWith("text/event-stream") ? eventsIn(text) : [text];
  return texts
    .map(parseJson)
    .filter(isJsonObject)
    .find((message) => message.id === id || message.id === null);
}

function eventsIn(text: string): readonly string[] {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(text);
  return events;
}

/** What a response without a result means; every status that is not the caller's affair means that the server is away. */
function errorOf(status: number, message: JsonObject | undefined): CallError {
  const error = isJsonObject(message?.error) ? message.error : undefined;
  const text = typeof error?.message === "string" ? error.message : `HTTP ${status}`;
  if (status === 403) return new CallError("refused", text, "FORBIDDEN");
  if (status >= 500 || status === 429 || error === undefined) return new CallError("away", text);
  return new CallError(error.code === -32_602 || error.code === -32_601 ? "unknown_tool" : "refused", text);
}
