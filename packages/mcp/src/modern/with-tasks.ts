import type { Engine } from "@resumable-mcp/core";
import { HttpAnswer } from "../http-answer.js";
import { ofWebRequest } from "../http-request.js";
import { readJsonBody } from "../read-json-body.js";
import { withReadableError } from "../readable-error.js";
import type { VerifiedToken } from "../subject.js";
import { parseListenRequest } from "./listen-request.js";
import { createListener } from "./listener.js";
import { missingTasksExtension } from "./missing-extension.js";
import type { ModernHandler, ModernRequestOptions, WithTasksOptions } from "./modern-handler.js";
import { modernLimits } from "./modern-limits.js";
import { mayHoldAnswer, unwrapAnswer } from "./wire-answer.js";

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
  const { maxBodyBytes = modernLimits.maxBodyBytes } = options;
  const listener = createListener(handler, engine, options);
  return {
    async fetch(request, given = {}) {
      const body = await bodyOf(request, given, maxBodyBytes);
      if (body instanceof Response) return body;
      const passed = body === undefined ? given : { ...given, parsedBody: body };
      const listenTo = parseListenRequest(body);
      if (listenTo !== undefined) return listener.listen(request, passed, listenTo);
      const response = await handler.fetch(request, passed);
      return restoredResponse(response, isToolCall(body));
    },
    async close() {
      listener.close();
      await handler.close();
    },
  };
}

/** What somebody else has read, or could not, is passed on as it is. */
async function bodyOf(
  request: Request,
  { parsedBody }: ModernRequestOptions,
  maxBodyBytes: number,
): Promise<unknown | Response> {
  if (parsedBody !== undefined || request.method !== "POST" || request.bodyUsed) return parsedBody;
  const read = await readJsonBody(ofWebRequest(request), maxBodyBytes);
  return read instanceof HttpAnswer ? read.toWeb() : read.value;
}

function isToolCall(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "tools/call";
}

/** Answers and refusals come before anything else was sent, so they are never on a stream. */
async function restoredResponse(response: Response, ofToolCall: boolean): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
  const text = await response.text();
  const answers = ofToolCall && mayHoldAnswer(text);
  if (!answers && !text.includes('"error"')) return new Response(text, response);
  const parsed = JSON.parse(text);
  const message = withReadableError(answers ? unwrapAnswer(parsed) : parsed);
  if (message === parsed) return new Response(text, response);
  const refused = "error" in message && message.error.code === missingTasksExtension.code;
  return new Response(JSON.stringify(message), { status: refused ? 400 : response.status, headers: jsonHeaders });
}

const jsonHeaders = { "content-type": "application/json" };
