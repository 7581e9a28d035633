import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
  type TaskExecutionEvent,
  taskViewFromExecutionEvent,
} from "@modelcontextprotocol/ext-tasks/client";
import { afterwards } from "./server-process.js";
import { connectStock } from "./stock-client.js";

/** A call, and what is done with each progress that its client sees. */
export interface CountingCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly onProgress: (progress: number) => void;
}

/** A client waits for this long in all. */
const timeout = 120_000;
const pollMs = 50;
const version2026 = "2026-07-28";
const clientInfo = { name: "stock", version: "1" };
const tasksExtension = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Calls with an unmodified client of the 2025 era. */
export async function callStock2025(url: string, { onProgress, ...call }: CountingCall) {
  const { client } = await connectStock(url);
  const errors: unknown[] = [];
  client.onerror = (error) => errors.push(error);
  const seen: number[] = [];
  const onprogress = ({ progress }: { readonly progress: number }) => {
    seen.push(progress);
    onProgress(progress);
  };
  const result = await client.callTool(call, undefined, { onprogress, timeout });
  const task_id = result._meta?.["resumable-mcp/task_id"];
  const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
  return { result, seen, errors, items };
}

async function connect2026(url: string): Promise<Client> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: version2026 } } });
  afterwards(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Calls with an unmodified client of the 2026 era. */
export async function callStock2026(url: string, { onProgress, ...call }: CountingCall) {
  const client = await connect2026(url);
  const errors: unknown[] = [];
  client.onerror = (error) => errors.push(error);
  const onprogress = ({ progress, message = "" }: { readonly progress: number; readonly message?: string }) => {
    // The client reports its own round trips in between.
    if (message.startsWith("Counted ")) onProgress(progress);
  };
  const result = await client.callTool(call, { onprogress, timeout });
  return { result, errors };
}

/**
 * Calls as a task of the 2026 era with the SDK's client and `ext-tasks`, which the SDK leaves tasks to, and follows the task until it ends.
 * `ext-tasks` gives up when a request is not answered: the task is taken up again by its reference then.
 */
export async function callAsTask2026(url: string, { onProgress, ...call }: CountingCall) {
  const client = await connect2026(url);
  const session = createTaskSessionFromClient(client, {
    endpointId: "replicas",
    rawDispatch: rawDispatch(client),
    v2RequestFraming: { protocolVersion: version2026, clientInfo, clientCapabilities: {} },
  });
  const statuses = new Set<string>();
  const errors: unknown[] = [];
  const onEvent = (event: TaskExecutionEvent<unknown>) => {
    const view = taskViewFromExecutionEvent(event);
    if (view === undefined) return;
    statuses.add(view.status);
    onProgress(Number(/(\d+)\/\d+/.exec(view.statusMessage ?? "")?.[1] ?? 0));
  };
  const { name, arguments: input } = call;
  let execution = await session.callTool(name, JSON.parse(JSON.stringify(input)), { task: { preference: "prefer" } });
  if (execution.kind !== "task") throw new Error("The call did not become a task.");
  const reference = execution.serializeReference();
  for (;;) {
    try {
      const { outcome } = await execution.settle({ onEvent });
      return { result: resultFromTaskOutcome(outcome), statuses: [...statuses], errors };
    } catch (error) {
      errors.push(error);
      execution = await untilAnswered(() => session.resumeTask(reference), errors);
    }
  }
}

async function untilAnswered<Value>(work: () => Promise<Value>, errors: unknown[]): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      errors.push(error);
      await sleep(pollMs);
    }
  }
}

/** Sends requests over the client's own transport: the client itself does not know the answers that are tasks. */
function rawDispatch({ transport }: Client): RawClientDispatch {
  if (transport === undefined) throw new Error("The client is not connected.");
  const waiting = new Map<unknown, (answer: JSONRPCMessage) => void>();
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    const respond = "method" in message ? undefined : waiting.get(message.id);
    if (respond === undefined) onmessage?.(message, extra);
    else respond(message);
  };
  return async (request) => {
    const id = `raw-${randomUUID()}`;
    const answered = new Promise<JSONRPCMessage>((resolve) => waiting.set(id, resolve));
    await transport.send(Object.assign({ jsonrpc: "2.0", id, method: "" } as const, request));
    const { result = null, error } = JSON.parse(JSON.stringify(await answered));
    return error === undefined ? { kind: "result", result } : { kind: "error", error };
  };
}

/** Makes a plain call without a client: the specification ends it with its stream, and it is made again then. */
export async function callPlain2026(url: string, { onProgress, ...call }: CountingCall) {
  for (let calls = 1; ; calls++) {
    try {
      const { text } = await send2026(url, "tools/call", call, {}, onProgress);
      return { result: resultOf(text), calls };
    } catch {
      // The stream broke.
    }
  }
}

/** How many tasks there are. */
export async function countTasks(url: string): Promise<number> {
  const { text } = await send2026(url, "resources/list", {});
  return resultOf(text).resources.length;
}

/** Makes a call that becomes a task at once. @returns its id. */
export async function startTask2026(url: string, name: string, input: Record<string, unknown>): Promise<string> {
  const { text } = await send2026(url, "tools/call", { name, arguments: input }, tasksExtension);
  return resultOf(text).taskId;
}

/** Makes a plain call of a tool that answers at once. @returns its structured content. */
export async function callTool2026(url: string, name: string, input: Record<string, unknown>) {
  const { text } = await send2026(url, "tools/call", { name, arguments: input });
  return resultOf(text).structuredContent;
}

/** Reads an answer, which ends a stream or is alone. Throws where there is none. */
function resultOf(text: string) {
  const messages = text.split("\n").filter((line) => line.includes('"result"'));
  return JSON.parse(messages.at(-1)?.replace(/^data: /, "") ?? "").result;
}

/** Sends one request of the 2026 era. */
async function send2026(
  url: string,
  method: string,
  params: Record<string, unknown>,
  capabilities = {},
  onProgress: (progress: number) => void = () => {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version2026,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    progressToken: "p",
  };
  const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version2026,
    "mcp-method": method,
  };
  const name = params.name ?? params.taskId;
  if (typeof name === "string") headers["mcp-name"] = name;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    onProgress(Number([...text.matchAll(/"progress":(\d+)/g)].at(-1)?.[1] ?? 0));
  }
  return { status: response.status, text };
}
