import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
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

/** Calls with an unmodified client of the 2026 era. */
export async function callStock2026(url: string, { onProgress, ...call }: CountingCall) {
  const client = new Client({ name: "stock", version: "1" }, { versionNegotiation: { mode: { pin: version2026 } } });
  afterwards(() => client.close());
  const errors: unknown[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const onprogress = ({ progress, message = "" }: { readonly progress: number; readonly message?: string }) => {
    // The client reports its own round trips in between.
    if (message.startsWith("Counted ")) onProgress(progress);
  };
  const result = await client.callTool(call, { onprogress, timeout });
  return { result, errors };
}

/** Calls with the tasks extension and without a client, and asks for the task until it ends. A request whose connection broke is sent again. */
export async function callAsTask2026(url: string, { onProgress, ...call }: CountingCall) {
  const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const errors: unknown[] = [];
  const ask = async (method: string, params: Record<string, unknown>) => {
    for (;;) {
      try {
        const { status, text } = await send2026(url, method, params, extension);
        if (status === 200) return JSON.parse(text).result;
        errors.push(status);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  const made = await ask("tools/call", call);
  const statuses = new Set<string>();
  for (;;) {
    const task = await ask("tasks/get", { taskId: made.taskId });
    statuses.add(task.status);
    onProgress(Number(/(\d+)\/\d+/.exec(task.statusMessage ?? "")?.[1] ?? 0));
    if (task.status !== "working") return { result: task.result, statuses: [...statuses], errors };
    await sleep(pollMs);
  }
}

/** Makes a plain call without a client: the specification ends it with its stream, and it is made again then. */
export async function callPlain2026(url: string, { onProgress, ...call }: CountingCall) {
  for (let calls = 1; ; calls++) {
    try {
      const { text } = await send2026(url, "tools/call", call, {}, onProgress);
      return { result: JSON.parse(text.slice(text.lastIndexOf('{"result"'))).result, calls };
    } catch {
      // The stream broke.
    }
  }
}

/** How many tasks there are. */
export async function countTasks(url: string): Promise<number> {
  const { text } = await send2026(url, "resources/list", {});
  return JSON.parse(text.slice(text.indexOf("{"))).result.resources.length;
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
