import type { Engine } from "@resumable-mcp/core";
import { parseCallMeta } from "../call-meta.js";
import { asRpcError, type RpcErrorBody } from "../rpc-error.js";
import type { VerifiedToken } from "../subject.js";
import type { ModernAttachOptions } from "./attach-tools.js";
import { type ListenRequest, listenContext, parseListenRequest } from "./listen-request.js";
import { type ListenStream, listenStream } from "./listen-stream.js";
import { missingTasksExtension } from "./missing-extension.js";
import { ownerOf } from "./modern-call.js";
import { ownTaskIds, watchTasks } from "./task-watch.js";
import { mayHoldAnswer, unwrapAnswer } from "./wire-answer.js";

/** What a request brings along beside itself. */
export interface ModernRequestOptions<Auth extends VerifiedToken = VerifiedToken> {
  /** A verified token. */
  readonly authInfo?: Auth;
  /** The body, where somebody has read it already. */
  readonly parsedBody?: unknown;
}

/** A handler of HTTP requests, such as the SDK's `createMcpHandler` makes. */
export interface ModernHandler<Auth extends VerifiedToken = VerifiedToken> {
  fetch(request: Request, options?: ModernRequestOptions<Auth>): Promise<Response>;
  /** Ends subscriptions with a result, and requests in flight without one. */
  close(): Promise<void>;
}

/** How subscriptions are served. */
export interface WithTasksOptions extends Pick<ModernAttachOptions, "owner" | "singleUser" | "onError"> {
  /** Subscriptions to tasks that are open at once. Default 1024. */
  readonly maxSubscriptions?: number;
  /** How often an idle stream says that it lives, in milliseconds. Default 15000. */
  readonly keepAliveMs?: number;
}

/**
 * Wraps the SDK's handler of the 2026 era, so that calls can be answered with tasks and clients can listen to them.
 *
 * Everything else passes through unchanged.
 *
 * @example
 * const handler = withTasks(createMcpHandler(createServer), engine);
 */
export function withTasks<Auth extends VerifiedToken>(
  handler: ModernHandler<Auth>,
  engine: Engine,
  options: WithTasksOptions = {},
): ModernHandler<Auth> {
  const { maxSubscriptions = 1_024 } = options;
  const open = new Set<ListenStream>();
  const listen = async (request: Request, given: ModernRequestOptions<Auth>, listenTo: ListenRequest) => {
    if (open.size >= maxSubscriptions) return refuse(listenTo.id, limitReached, 200);
    const response = await handler.fetch(request, given);
    const { body } = response;
    if (body === null || !isEventStream(response)) return response;
    if (listenTo.taskIds !== undefined && !listenTo.declared) {
      await body.cancel();
      return refuse(listenTo.id, missingTasksExtension, 400);
    }
    try {
      return new Response(await keepOpen(body, request, given, listenTo), response);
    } catch (error) {
      await body.cancel();
      const { code, message } = asRpcError(error);
      return refuse(listenTo.id, { code, message }, 200);
    }
  };
  const keepOpen = async (
    source: ReadableStream<Uint8Array>,
    request: Request,
    { authInfo }: ModernRequestOptions<Auth>,
    listenTo: ListenRequest,
  ): Promise<ReadableStream<Uint8Array>> => {
    const { onError } = options;
    const context = listenContext(listenTo, request.signal, authInfo === undefined ? {} : { authInfo });
    const tasks = engine.forOwner(ownerOf(options, context, parseCallMeta(listenTo.meta).clientId));
    const { resources } = listenTo;
    const taskIds = listenTo.taskIds === undefined ? undefined : await ownTaskIds(tasks, listenTo.taskIds);
    const stream = listenStream({
      source,
      subscriptionId: listenTo.id,
      taskIds,
      keepAliveMs: options.keepAliveMs ?? 15_000,
      begin: (send, signal) =>
        watchTasks({
          engine,
          tasks,
          subscriptionId: listenTo.id,
          taskIds: taskIds ?? [],
          resources,
          signal,
          send,
          onError,
        }),
      onEnd: () => open.delete(stream),
      onError,
    });
    open.add(stream);
    return stream.body;
  };
  return {
    async fetch(request, given = {}) {
      const body = await bodyOf(request, given);
      const passed = body === undefined ? given : { ...given, parsedBody: body };
      const listenTo = parseListenRequest(body);
      if (listenTo !== undefined) return listen(request, passed, listenTo);
      const response = await handler.fetch(request, passed);
      return isToolCall(body) ? unwrapResponse(response) : response;
    },
    async close() {
      for (const stream of [...open]) stream.close();
      await handler.close();
    },
  };
}

const limitReached: RpcErrorBody = { code: -32_603, message: "Subscription limit reached" };

/** What the SDK cannot parse, it refuses itself. */
async function bodyOf(request: Request, { parsedBody }: ModernRequestOptions): Promise<unknown> {
  if (parsedBody !== undefined || request.method !== "POST" || request.bodyUsed) return parsedBody;
  try {
    return await request.clone().json();
  } catch {
    return undefined;
  }
}

function isToolCall(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "tools/call";
}

/** Answers come before anything else was sent, so they are never on a stream. */
async function unwrapResponse(response: Response): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
  const text = await response.text();
  if (!mayHoldAnswer(text)) return new Response(text, response);
  const message = unwrapAnswer(JSON.parse(text));
  const refused = "error" in message && message.error.code === missingTasksExtension.code;
  return new Response(JSON.stringify(message), { status: refused ? 400 : response.status, headers: jsonHeaders });
}

const jsonHeaders = { "content-type": "application/json" };

function isEventStream(response: Response): boolean {
  return response.ok && response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

function refuse(id: string | number, error: RpcErrorBody, status: number): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { ...error } }, { status });
}
