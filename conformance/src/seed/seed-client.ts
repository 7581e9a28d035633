import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LoggingMessageNotificationSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/**
 * A client in the manner of the walkthrough's: the SDK's own, with a state file that keeps its `client_id` of 16
 * characters and the session's id. It carries out one command of each line of its input and prints what comes as
 * lines of JSON. The calls have the arguments that the walkthrough's have: `client_id` in some, in others not.
 */
const [url = "", stateFile = "session_state.json"] = process.argv.slice(2);

const savedState = z.object({
  client_id: z.string(),
  session_id: z.string().nullable(),
  server_url: z.string(),
  active_tasks: z.record(z.string(), z.json()),
  completed_tasks: z.array(z.string()),
  created_at: z.string(),
});
type State = z.output<typeof savedState>;

function print(event: string, facts: object = {}): void {
  process.stdout.write(`${JSON.stringify({ event, ...facts })}\n`);
}

async function loadState(): Promise<State> {
  const text = await readFile(stateFile, "utf8").catch(() => undefined);
  if (text !== undefined) return savedState.parse(JSON.parse(text));
  const rest = { session_id: null, active_tasks: {}, completed_tasks: [], created_at: new Date().toISOString() };
  return { client_id: randomUUID().slice(0, 16), server_url: url, ...rest };
}

const state = await loadState();
const client = new Client({ name: "walkthrough", version: "1.0.0" });
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => print("log", { data: params.data }));
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
await client.ping();
const sessionId = transport.sessionId ?? null;
print("connected", { clientId: state.client_id, sessionBefore: state.session_id, sessionId });
await writeFile(stateFile, JSON.stringify({ ...state, session_id: sessionId }));

async function call(event: string, name: string, args: Record<string, unknown>): Promise<void> {
  const onprogress = ({ progress, total, message }: Progress) => print("progress", { progress, total, message });
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
  print(event, { isError: result.isError === true, data: result.structuredContent });
}

const client_id = state.client_id;
const job = { dataset_name: "customer_data", total_records: 50, batch_size: 5, client_id };

/** The menu's choices by their digits, and what its other functions call. */
const commands: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  "1": () => call("processed", "resumable_data_processing", job),
  "2": () => call("tasks", "list_session_tasks", { client_id }),
  "3": () => call("stats", "get_checkpoint_stats", {}),
  "4": () => call("session", "get_session_info", {}),
  tools: async () => print("tools", { names: (await client.listTools()).tools.map(({ name }) => name) }),
  other: () => call("processed", "resumable_data_processing", { ...job, total_records: 20 }),
  items: (task_id) => call("items", "get_task_items", { task_id }),
  pause: (task_id) => call("paused", "pause_task", { task_id }),
  own: () => call("processed", "count_to", { n: 50, client_id }),
  /** As another owner, and at once: what an undisturbed run gives. */
  straight: () =>
    call("straight", "resumable_data_processing", { ...job, client_id: randomUUID().slice(0, 16), delay_ms: 0 }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [command = "", argument = ""] = line.split(" ");
  if (command === "0") break;
  const run = commands[command];
  if (run === undefined) throw new Error(`The client has no command ${JSON.stringify(command)}.`);
  // What runs long leaves the menu free, so that it can be paused.
  void run(argument).catch((error: unknown) => print("failed", { command, message: String(error) }));
}
await client.close();
