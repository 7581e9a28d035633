import { setTimeout as sleep } from "node:timers/promises";
import type { Client as NextClient } from "@modelcontextprotocol/client";
import {
  type ConnectedMcpSessionPort,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  DispatchError,
  type RawClientDispatch,
  resultFromTaskOutcome,
  type SerializedTaskReference,
  type TaskEnabledSession,
  type ToolExecution,
  taskViewFromExecutionEvent,
  withTasks,
} from "@modelcontextprotocol/ext-tasks/client";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { z } from "zod";
import {
  type ClientHooks,
  type ClientKind,
  clientInfo,
  type OpenClient,
  type ToolAnswer,
  versionOf,
} from "./client-kind.js";
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
export function nextSession(client: NextClient, hooks: ClientHooks, patient: boolean): TaskEnabledSession {
  const options = { endpointId, ...inputOptions(hooks) };
  if (client.getProtocolEra() !== "modern") return createTaskSessionFromClient(client, options);
  const clientCapabilities = JSON.parse(JSON.stringify(capabilitiesOf(hooks)));
  return createTaskSessionFromClient(client, {
    ...options,
    rawDispatch: createRawDispatch(client, patient),
    v2RequestFraming: { protocolVersion: pinnedVersion, clientInfo, clientCapabilities },
  });
}

/** The requester on the client of both eras. */
function onNext(title: string, mode: "legacy" | "auto", patient: boolean): ClientKind {
  return {
    name: `${name} on \`client\`, ${title}`,
    async open(place, hooks = {}) {
      const client = await connectNext(place, mode, hooks);
      return openSession(nextSession(client, hooks, patient), client);
    },
  };
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
  era2025: onNext("legacy", "legacy", false),
  era2026: onNext("auto", "auto", false),
  patient: onNext("auto, repeating `tasks/*`", "auto", true),
} satisfies Record<string, ClientKind>;

const anyResult = z.looseObject({});

/**
 * Connects `ext-tasks` to the SDK of the 2025 era, for which it brings no adapter of its own.
 *
 * A request that the server did not answer may be sent once more: `ext-tasks` decides which.
 */
export function stockPort(client: Client, endpointId: string): ConnectedMcpSessionPort {
  const invalidated = new Set<(reason: unknown) => void>();
  const notified = new Set<(notification: never) => void>();
  let closed = false;
  client.onclose = () => {
    closed = true;
    for (const listener of invalidated) listener(new Error("The connection is closed."));
  };
  client.fallbackNotificationHandler = async (notification) => {
    for (const listener of notified) listener(JSON.parse(JSON.stringify(notification)) as never);
  };
  const { tasks } = client.getServerCapabilities() ?? {};
  return {
    endpointId,
    taskCapabilities:
      tasks === undefined
        ? { generation: "none" }
        : { generation: "v1", capabilities: JSON.parse(JSON.stringify(tasks)) },
    async dispatch(request, { signal } = {}) {
      if (!isJsonObject(request)) throw new DispatchError("A request has to be an object.");
      const { method, params } = request;
      const message = { method: String(method), ...(isJsonObject(params) ? { params } : {}) };
      try {
        const result = await client.request(message, anyResult, signal === undefined ? {} : { signal });
        return { kind: "result", result: JSON.parse(JSON.stringify(result)) };
      } catch (error) {
        throw new DispatchError("The request was not answered.", true, { cause: error });
      }
    },
    onServerRequest: () => () => {},
    onNotification: (listener) => added(notified, listener as (notification: never) => void),
    onInvalidated: (listener) => added(invalidated, listener),
    get invalidated() {
      return closed;
    },
  };
}

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** How often and how long a request about a task is repeated while the server cannot be reached. */
const retries = { count: 20, delayMs: 250 };

/**
 * Sends requests past an SDK client, over its own transport, as `ext-tasks` needs it in the 2026 era: the client does
 * not know the answers that are tasks.
 *
 * @param patient repeats `tasks/*` while the server is down; these are safe to repeat.
 */
export function createRawDispatch({ transport }: NextClient, patient: boolean): RawClientDispatch {
  if (transport === undefined) throw new Error("The client is not connected.");
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const previous = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answer: JsonObject = JSON.parse(JSON.stringify(message));
    const respond = answer.method === undefined ? waiting.get(answer.id) : undefined;
    if (respond === undefined) return previous?.(message, extra);
    waiting.delete(answer.id);
    respond(answer);
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
    await sleep(retries.delayMs);
    return repeat(run, tries - 1);
  }
}
