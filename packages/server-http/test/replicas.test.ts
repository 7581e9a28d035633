import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { startReplicas } from "./round-robin.js";
import { afterwards } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const testMs = 120_000;
const steps = 60;
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const signals = ["SIGKILL", "SIGTERM"] as const;
type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** Replaces one replica after the other, each when the progress has come so far. */
function replaceByProgress({ replace }: Replicas, signal: (typeof signals)[number]) {
  const at = [10, 30];
  let replaced = Promise.resolve();
  let index = 0;
  return {
    note(progress: number) {
      if (progress < (at[index] ?? Number.POSITIVE_INFINITY)) return;
      const which = index++;
      replaced = replaced.then(() => replace(which, signal));
    },
    done: async () => {
      await replaced;
      return index;
    },
  };
}

test.each(signals)(
  "G1 G6 a stock client of the 2025 era sees progress rise and gets the result while each replica gets %s",
  async (signal) => {
    const replicas = await startReplicas(2, ["--single-user"]);
    const { client } = await connectStock(replicas.url);
    const errors: unknown[] = [];
    client.onerror = (error) => errors.push(error);
    const rolling = replaceByProgress(replicas, signal);
    const seen: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => {
      seen.push(progress);
      rolling.note(progress);
    };
    const call = { name: "count_to", arguments: { n: steps, pace_ms: 50 } };
    const result = await client.callTool(call, undefined, { onprogress, timeout: testMs });
    expect(result).toMatchObject({ structuredContent: { counted: steps } });
    expect(seen).toEqual(count(steps));
    expect(await rolling.done()).toBe(2);
    if (signal === "SIGTERM") expect(errors).toEqual([]);
    const task_id = result._meta?.["resumable-mcp/task_id"];
    const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
    expect(items).toMatchObject({ structuredContent: { items: count(steps), total: steps } });
  },
  testMs,
);

const envelope = (capabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** Sends one request of the 2026 era without a client. */
async function send(
  url: string,
  method: string,
  params: Record<string, unknown>,
  capabilities = {},
  onProgress: (progress: number) => void = () => {},
) {
  const _meta = { ...envelope(capabilities), progressToken: "p" };
  const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
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

test.each(signals)(
  "G1 a client of the 2026 era with the tasks extension sees status and gets the result while each replica gets %s",
  async (signal) => {
    const replicas = await startReplicas(2, ["--single-user"]);
    const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const errors: unknown[] = [];
    /** The client sends a request again whose connection broke. */
    const ask = async (method: string, params: Record<string, unknown>) => {
      for (;;) {
        try {
          const { status, text } = await send(replicas.url, method, params, extension);
          if (status === 200) return JSON.parse(text).result;
          errors.push(status);
        } catch (error) {
          errors.push(error);
        }
      }
    };
    const rolling = replaceByProgress(replicas, signal);
    const made = await ask("tools/call", { name: "count_to", arguments: { n: steps, pace_ms: 50 } });
    const statuses = new Set<string>();
    let task: { status: string; statusMessage?: string; result?: object };
    do {
      task = await ask("tasks/get", { taskId: made.taskId });
      statuses.add(task.status);
      rolling.note(Number(/(\d+)\/\d+/.exec(task.statusMessage ?? "")?.[1] ?? 0));
    } while (task.status === "working");
    expect([...statuses]).toEqual(["working", "completed"]);
    expect(task.result).toMatchObject({ structuredContent: { counted: steps } });
    expect(await rolling.done()).toBe(2);
    if (signal === "SIGTERM") expect(errors).toEqual([]);
  },
  testMs,
);

/** How many tasks there are. */
async function countTasks(url: string): Promise<number> {
  const { text } = await send(url, "resources/list", {});
  return JSON.parse(text.slice(text.indexOf("{"))).result.resources.length;
}

test(
  "G7 a plain call of the 2026 era joins its task when it is repeated while each replica gets SIGKILL",
  async () => {
    const replicas = await startReplicas(2, ["--single-user"]);
    const rolling = replaceByProgress(replicas, "SIGKILL");
    const params = { name: "count_to", arguments: { n: steps, pace_ms: 50 } };
    let calls = 0;
    /** The specification ends a call with its stream: its client calls again. */
    const call = async (): Promise<{ readonly structuredContent: object }> => {
      calls += 1;
      try {
        const { text } = await send(replicas.url, "tools/call", params, {}, rolling.note);
        return JSON.parse(text.slice(text.lastIndexOf('{"result"'))).result;
      } catch {
        return call();
      }
    };
    expect(await call()).toMatchObject({ structuredContent: { counted: steps } });
    expect(await rolling.done()).toBe(2);
    expect(calls).toBeGreaterThan(1);
    expect(await countTasks(replicas.url)).toBe(1);
  },
  testMs,
);

test(
  "G7 a stock client of the 2026 era notices nothing while each replica gets SIGTERM",
  async () => {
    const replicas = await startReplicas(2, ["--single-user"]);
    const rolling = replaceByProgress(replicas, "SIGTERM");
    const client = new Client({ name: "stock", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    afterwards(() => client.close());
    const errors: unknown[] = [];
    client.onerror = (error) => errors.push(error);
    await client.connect(new StreamableHTTPClientTransport(new URL(replicas.url)));
    const onprogress = ({ progress, message = "" }: { progress: number; message?: string }) => {
      // The client reports its own round trips in between.
      if (message.startsWith("Counted ")) rolling.note(progress);
    };
    const call = { name: "count_to", arguments: { n: steps, pace_ms: 50 } };
    const result = await client.callTool(call, { onprogress, timeout: testMs });
    expect(result).toMatchObject({ structuredContent: { counted: steps } });
    expect(await rolling.done()).toBe(2);
    expect(errors).toEqual([]);
    expect(await countTasks(replicas.url)).toBe(1);
  },
  testMs,
);
