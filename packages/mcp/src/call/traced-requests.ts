import { isJsonObject, type OwnedTasks, type TaskView } from "@resumable-mcp/core";
import { parseTraceContext, type TraceContext } from "@resumable-mcp/core/engine";
import { activeTrace, endOfResult, isTracing, noteTask, serveRequest } from "@resumable-mcp/telemetry";

/** Where a request comes from, whatever era it came by. */
export interface RequestOrigin {
  readonly requestId: string | number;
  /** Its `_meta`. */
  readonly meta: unknown;
  readonly isStdio: boolean;
  /** Its HTTP headers, as either SDK hands them on. */
  readonly headers?: unknown;
}

/**
 * Traces and measures one request of a method that the server serves: what callers make up names no span and no series. Where no
 * SDK of OpenTelemetry is registered, it is only run.
 *
 * @param tool the tool that is called, where the server has it.
 */
export function tracedRequest<Result extends object>(
  method: string,
  tool: string | undefined,
  { requestId, meta, isStdio, headers }: RequestOrigin,
  run: () => Promise<Result>,
): Promise<Result> {
  const facts = {
    method,
    requestId,
    tool,
    transport: isStdio ? ("pipe" as const) : ("tcp" as const),
    trace: isJsonObject(meta) ? parseTraceContext(meta) : undefined,
    httpTrace: traceOfHeaders(headers),
  };
  return serveRequest(facts, run, endOfResult);
}

function traceOfHeaders(headers: unknown): TraceContext | undefined {
  if (headers instanceof Headers) return parseTraceContext(Object.fromEntries(headers));
  return isJsonObject(headers) ? parseTraceContext(headers) : undefined;
}

/** The same tasks. A task that a call makes keeps the call's trace, and the span of a request names the task that it is about. */
export function tracedTasks(tasks: OwnedTasks): OwnedTasks {
  if (!isTracing()) return tasks;
  let isNoted = false;
  const noted = <View extends TaskView>(view: View, joined = true): View => {
    if (!isNoted) noteTask(view.record, joined);
    isNoted = true;
    return view;
  };
  return {
    ...tasks,
    async start(request) {
      const started = await tasks.start({ ...request, trace: activeTrace() ?? request.trace });
      return noted(started, !started.created);
    },
    get: async (taskId) => noted(await tasks.get(taskId)),
    wait: async (taskId, options) => noted(await tasks.wait(taskId, options)),
    pause: async (taskId) => noted(await tasks.pause(taskId)),
    resume: async (taskId) => noted(await tasks.resume(taskId)),
    cancel: async (taskId) => noted(await tasks.cancel(taskId)),
    answer: async (taskId, key, answer) => noted(await tasks.answer(taskId, key, answer)),
  };
}
