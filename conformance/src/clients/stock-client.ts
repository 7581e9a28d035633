import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  type ClientHooks,
  type ClientKind,
  callTimeoutMs,
  clientInfo,
  type OpenClient,
  type ToolAnswer,
  transportTo,
  versionOf,
} from "./client-kind.js";
import type { Seen } from "./seen.js";
import type { Place } from "./server-under-test.js";

/** One version of the SDK of the 2025 era. */
interface Sdk {
  readonly Client: typeof Client;
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  readonly StdioClientTransport: typeof StdioClientTransport;
  /** Absent before the client could ask its user. */
  readonly ElicitRequestSchema?: typeof ElicitRequestSchema;
}

const newest: Sdk = { Client, StreamableHTTPClientTransport, StdioClientTransport, ElicitRequestSchema };

// What is used here is the same in all versions; their types differ in what is not.
const sdk112 = async () =>
  ({
    ...(await import("sdk-1-12/client/index.js")),
    ...(await import("sdk-1-12/client/streamableHttp.js")),
    ...(await import("sdk-1-12/client/stdio.js")),
  }) as unknown as Sdk;
const sdk125 = async () =>
  ({
    ...(await import("sdk-1-25/client/index.js")),
    ...(await import("sdk-1-25/client/streamableHttp.js")),
    ...(await import("sdk-1-25/client/stdio.js")),
    ...(await import("sdk-1-25/types.js")),
  }) as unknown as Sdk;

const progressOptions = (seen: Seen, patienceMs = callTimeoutMs) => ({
  onprogress: ({ progress }: { progress: number }) => seen.progress(progress),
  timeout: patienceMs,
  resetTimeoutOnProgress: true,
});

/** Connects an unmodified client. */
export async function connectStock(place: Place, { onQuestion }: ClientHooks = {}, sdk: Sdk = newest): Promise<Client> {
  const schema = onQuestion && sdk.ElicitRequestSchema;
  const client = new sdk.Client(clientInfo, { capabilities: schema ? { elicitation: {} } : {} });
  if (schema && onQuestion) {
    client.setRequestHandler(schema, async ({ params }) => ({ ...(await onQuestion(params.message)) }));
  }
  await client.connect(transportTo(place, sdk.StreamableHTTPClientTransport, sdk.StdioClientTransport));
  return client;
}

function plainKind(alias: string, load: () => Promise<Sdk>): ClientKind {
  return {
    name: `\`@modelcontextprotocol/sdk\` ${versionOf(alias)}`,
    tellsProgress: true,
    async open(place, hooks) {
      const client = await connectStock(place, hooks, await load());
      return {
        async call(name, args, seen, patienceMs) {
          seen.begin();
          const result = await client.callTool({ name, arguments: args }, undefined, progressOptions(seen, patienceMs));
          return result as ToolAnswer;
        },
        close: () => client.close(),
      };
    },
  };
}

/** Clients of the 2025 era that make plain calls, oldest first. */
export const stockClients = {
  old: plainKind("sdk-1-12", sdk112),
  middle: plainKind("sdk-1-25", sdk125),
  new: plainKind("@modelcontextprotocol/sdk", async () => newest),
};

/** The same SDK's calls as tasks of 2025-11-25, which it calls experimental. */
export const stockTasks: ClientKind = {
  name: `${stockClients.new.name}, \`experimental.tasks\``,
  async open(place, hooks) {
    const client = await connectStock(place, hooks);
    const { tasks } = client.experimental;
    let taskId = "";
    return {
      async call(name, args, seen, patienceMs) {
        const options = { ...progressOptions(seen, patienceMs), task: {} };
        for await (const message of tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, options)) {
          if (message.type === "result") return message.result;
          if (message.type === "error") throw message.error;
          taskId = message.task.taskId;
          seen.status(message.task);
          // Now the client asks for the result, which is another request with progress of its own.
          if (message.task.status !== "working") seen.begin();
        }
        throw new Error("The stream of the task ended without a result.");
      },
      recover: () => tasks.getTaskResult(taskId, CallToolResultSchema, { timeout: callTimeoutMs }),
      close: () => client.close(),
    } satisfies OpenClient;
  },
};
