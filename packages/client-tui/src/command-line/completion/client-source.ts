import { type Client, openClient, type ServerConfig } from "@resumable-mcp/client";
import { asObject } from "../tool-arguments.js";
import type { CompletionSource } from "./complete.js";

/** Nobody waits long for the Tab key. */
const answerTimeoutMs = 2_000;

/** Completes from the state file, and asks the servers only for the names of tools. */
export function clientSource(options: {
  readonly servers?: readonly ServerConfig[];
  readonly stateFile?: string;
}): CompletionSource {
  let opened: Promise<Client> | undefined;
  const client = () => {
    opened ??= openClient({ ...options, limits: { requestTimeoutMs: answerTimeoutMs, reconnectAttempts: 0 } });
    return opened;
  };
  const tools = async () => (await client()).tools().catch(() => []);
  return {
    async tasks(unfinished) {
      const { activeTasks, completedTasks } = (await client()).summary();
      const ids = activeTasks.map(({ task_id }) => task_id);
      return unfinished ? ids : [...ids, ...completedTasks.map(({ task_id }) => task_id)];
    },
    tools: async () => [...new Set((await tools()).filter(({ control }) => !control).map(({ name }) => name))],
    servers: async () => (await client()).servers().map(({ name, address }) => name ?? address),
    async argumentsOf(name) {
      const tool = (await tools()).find((entry) => entry.name === name);
      return Object.keys(asObject(tool?.inputSchema.properties) ?? {}).filter((key) => key !== "client_id");
    },
  };
}
