import type { Client } from "@modelcontextprotocol/client";
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  type SerializedTaskReference,
  type TaskEnabledSession,
  type ToolExecution,
  taskViewFromExecutionEvent,
  withTasks,
} from "@modelcontextprotocol/ext-tasks/client";
import {
  type ClientHooks,
  type ClientKind,
  clientInfo,
  type OpenClient,
  type ToolAnswer,
  versionOf,
} from "./client-kind.js";
import { createRawDispatch, stockPort } from "./ext-tasks-ports.js";
import { capabilitiesOf, connectNext, pinnedVersion } from "./next-client.js";
import type { Seen } from "./seen.js";
import { connectStock } from "./stock-client.js";

const endpointId = "the-server-under-test";
const name = `\`@modelcontextprotocol/ext-tasks\` ${versionOf("@modelcontextprotocol/ext-tasks")}`;

function inputOptions({ onQuestion }: ClientHooks) {
  if (onQuestion === undefined) return {};
  const unasked = () => Promise.reject(new Error("Nothing else is asked here."));
  const onInputRequest = createApplicationInputHandler({
    elicitation: async (request) => ({ ...(await onQuestion(messageOf(request.params))) }),
    sampling: unasked,
    roots: unasked,
  });
  return { onInputRequest };
}

function messageOf(params: unknown): string {
  return String(Reflect.get(Object(params), "message"));
}

/** Runs calls through a session of ext-tasks. */
function openSession(session: TaskEnabledSession, client: { close(): Promise<void> }): OpenClient {
  let reference: SerializedTaskReference | undefined;
  const answerOf = async (execution: ToolExecution<ToolAnswer>, seen: Seen): Promise<ToolAnswer> => {
    if (execution.kind === "task") reference = execution.serializeReference();
    const { outcome } = await execution.settle({
      onEvent: (event) => {
        const view = taskViewFromExecutionEvent(event);
        if (view !== undefined) seen.status(view);
      },
    });
    return resultFromTaskOutcome(outcome);
  };
  return {
    call: async (tool, input, seen) =>
      answerOf(await session.callTool(tool, { ...input }, { task: { preference: "prefer" } }), seen),
    async recover(seen) {
      if (reference === undefined) throw new Error("The call did not become a task.");
      return answerOf(await session.resumeTask(reference), seen);
    },
    async close() {
      await session.close();
      await client.close();
    },
  };
}

/** Adds tasks to a client of both eras, in the generation that it has negotiated. */
export function nextSession(client: Client, hooks: ClientHooks, patient: boolean): TaskEnabledSession {
  if (client.getProtocolEra() !== "modern")
    return createTaskSessionFromClient(client, { endpointId, ...inputOptions(hooks) });
  const clientCapabilities = JSON.parse(JSON.stringify(capabilitiesOf(hooks)));
  return createTaskSessionFromClient(client, {
    endpointId,
    ...inputOptions(hooks),
    rawDispatch: createRawDispatch(client, patient),
    v2RequestFraming: { protocolVersion: pinnedVersion, clientInfo, clientCapabilities },
  });
}

/** The requester of tasks, on the clients of both SDKs and in both generations of tasks. */
export const extTasksClients = {
  stock: {
    name: `${name} on \`sdk\` ${versionOf("@modelcontextprotocol/sdk")}`,
    async open(place, hooks = {}) {
      const client = await connectStock(place, hooks);
      return openSession(withTasks(stockPort(client, endpointId), inputOptions(hooks)), client);
    },
  },
  era2025: {
    name: `${name} on \`client\`, legacy`,
    async open(place, hooks = {}) {
      const client = await connectNext(place, "legacy", hooks);
      return openSession(nextSession(client, hooks, false), client);
    },
  },
  era2026: {
    name: `${name} on \`client\`, auto`,
    async open(place, hooks = {}) {
      const client = await connectNext(place, "auto", hooks);
      return openSession(nextSession(client, hooks, false), client);
    },
  },
  patient: {
    name: `${name} on \`client\`, auto, repeating \`tasks/*\``,
    async open(place, hooks = {}) {
      const client = await connectNext(place, "auto", hooks);
      return openSession(nextSession(client, hooks, true), client);
    },
  },
} satisfies Record<string, ClientKind>;
