import {
  type AuthInfo,
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { type Engine, isJsonObject } from "@resumable-mcp/core";
import { withDefaults } from "@resumable-mcp/core/internal";
import { bringValidator } from "../call/json-schema-validator.js";
import { answerSent } from "../call/receipt.js";
import { inputProblem, thrownResult } from "../call/tool-result.js";
import { HttpAnswer } from "../http/http-answer.js";
import { type HttpRequest, ofWebRequest, readJsonBody } from "../http/http-request.js";
import { type BodyLimits, bodyLimits, limits2026 } from "../limits.js";
import { noteLocality, type VerifiedToken } from "../owner/owner.js";
import { mayHoldAnswer, unwrapAnswer, withReadableError } from "../sdk-workarounds.js";
import { missingTasksExtension } from "./call-2026.js";
import { lastAnswers } from "./engine-state.js";
import type { Handler2026, RequestOptions2026, TasksHandler, WithTasksOptions } from "./handler-options.js";
import { answerInTime } from "./late-answer.js";
import { parseListenRequest } from "./subscriptions/listen-request.js";
import { createListener } from "./subscriptions/listener.js";

/** Makes the server of one request, with `registerTools2026` done. By `changes` it can tell what changed. */
export type CreateServer2026 = (context: McpRequestContext, changes: ServerNotifier) => McpServer | Promise<McpServer>;

/** How an endpoint of the 2026 era is made. */
export interface HandlerOptions2026 extends WithTasksOptions {
  readonly engine: Engine;
  readonly createServer: CreateServer2026;
}

/**
 * Serves clients of the 2026 era over HTTP.
 *
 * Refuses requests of the 2025 era, which `isLegacyRequest` of the SDK recognises. Host, Origin and tokens are
 * checked by its caller.
 *
 * Source: MCP 2026-07-28, Transports, "Streamable HTTP".
 */
export function createHandler2026(options: HandlerOptions2026): TasksHandler<AuthInfo> {
  const { engine, createServer, onError, keepAliveMs, maxSubscriptions = limits2026.maxSubscriptions } = options;
  const handler = createMcpHandler((context) => createServer(context, handler.notify), {
    legacy: "reject",
    // Who has how many is counted by `withTasks`, so that one owner cannot take all.
    maxSubscriptions,
    onerror: onError,
    keepAliveMs,
  });
  const served = withTasks(handler, engine, options);
  return {
    answer: served.answer,
    fetch: served.fetch,
    async close() {
      await lastAnswers(engine);
      await served.close();
    },
  };
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
  handler: Handler2026<Auth>,
  engine: Engine,
  options: WithTasksOptions = {},
): TasksHandler<Auth> {
  const limits = withDefaults<BodyLimits>(bodyLimits, options);
  const { keepAliveMs = limits2026.keepAliveMs } = options;
  bringValidator(engine);
  const listener = createListener(handler, engine, options);
  const serve = async (
    incoming: HttpRequest,
    given: RequestOptions2026<Auth> = {},
    onLeft: () => void = () => {},
  ): Promise<HttpAnswer> => {
    const request = incoming.toWeb();
    noteLocality(request, given.locality);
    const body = await bodyOf(request, given, limits);
    if (body instanceof HttpAnswer) return body;
    const problem = inputProblem(engine, body);
    if (problem !== undefined && isJsonObject(body)) {
      const result = { resultType: "complete", ...thrownResult(problem) };
      return HttpAnswer.json({ jsonrpc: "2.0", id: body.id, result });
    }
    const passed = body === undefined ? given : { ...given, parsedBody: body };
    const listenTo = parseListenRequest(body);
    if (listenTo !== undefined) return HttpAnswer.ofWeb(await listener.listen(request, passed, listenTo));
    const answering = handler.fetch(request, passed);
    const restored = answering.then((answer) => restoredAnswer(answer, isToolCall(body), () => answerSent(request)));
    return answerInTime(restored, { headersAfterMs: limits2026.headersAfterMs, keepAliveMs, onLeft });
  };
  return {
    answer: (request, given) => serve(request, given),
    async fetch(request, given) {
      const left = new AbortController();
      const heard = ofWebRequest(withSignal(request, left.signal));
      return (await serve(heard, given, () => left.abort("The client left."))).toWeb();
    },
    async close() {
      listener.close();
      await handler.close();
    },
  };
}

/** The end of a body that is not read any more ends its request, as the end of a connection does. */
function withSignal(request: Request, left: AbortSignal): Request {
  return request.bodyUsed ? request : new Request(request, { signal: AbortSignal.any([request.signal, left]) });
}

/** A body that was read before, or could not be read, is passed on as it is. */
async function bodyOf(
  request: Request,
  { parsedBody }: RequestOptions2026,
  limits: BodyLimits,
): Promise<unknown | HttpAnswer> {
  if (parsedBody !== undefined || request.method !== "POST" || request.bodyUsed) return parsedBody;
  const read = await readJsonBody(ofWebRequest(request), limits);
  return read instanceof HttpAnswer ? read : read.value;
}

function isToolCall(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "tools/call";
}

/** Answers and refusals come before anything else was sent, so they are never on a stream. */
async function restoredAnswer(response: Response, ofToolCall: boolean, onSent: () => void): Promise<HttpAnswer> {
  const { status } = response;
  if (!response.headers.get("content-type")?.startsWith("application/json")) return HttpAnswer.ofWeb(response, onSent);
  const text = await response.text();
  const passed = new HttpAnswer(status, Object.fromEntries(response.headers), text, onSent);
  const answers = ofToolCall && mayHoldAnswer(text);
  if (!answers && !text.includes('"error"')) return passed;
  const parsed = JSON.parse(text);
  const message = withReadableError(answers ? unwrapAnswer(parsed) : parsed);
  if (message === parsed) return passed;
  const refused = "error" in message && message.error.code === missingTasksExtension.code;
  return HttpAnswer.json(message, refused ? 400 : status);
}
