import type { IncomingMessage } from "node:http";
import { isTerminalError, RetryableError, TerminalError } from "@resumable-mcp/core";
import { type OpenOptions, openUrl } from "./open-url.js";
import { type DownloadState, planDownload, type ResponseHead, requestHeaders } from "./plan-download.js";

/** A response whose bytes follow those that the state counts. */
export interface Rest {
  readonly response: IncomingMessage;
  readonly state: DownloadState;
  /** Why the bytes on disk count no more. */
  readonly reason?: string;
}

/**
 * Requests the bytes that are missing, or all of them where the server has another file by now.
 *
 * @throws RetryableError for what may pass; TerminalError for what will not.
 */
export async function fetchRest(
  url: string,
  state: DownloadState,
  options: Pick<OpenOptions, "signal" | "mayReach">,
): Promise<Rest> {
  const response = await openUrl(url, { ...options, headers: requestHeaders(state) }).catch((error: unknown) => {
    throw options.signal.aborted || isTerminalError(error) ? error : connectionFailed(error);
  });
  const plan = planDownload(state, headOf(response));
  if (plan.kind === "continue" || plan.kind === "begin") return { ...plan, response };
  response.destroy();
  if (plan.kind === "fail") {
    const message = `${plan.reason} for ${url}.`;
    throw plan.mayPass ? new RetryableError(message) : new TerminalError(message);
  }
  // A request for everything that gets no usable answer is not made again.
  if (state.received === 0) throw new TerminalError(`The server refuses even the first byte of ${url}.`);
  return { ...(await fetchRest(url, plan.state, options)), reason: plan.reason };
}

/** Cuts a body into pieces of one size. What came before a break is yielded first; then the break is thrown. */
export async function* readPieces({ response }: Rest, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let pending = Buffer.alloc(0);
  let broken: unknown;
  try {
    for await (const bytes of response) {
      pending = Buffer.concat([pending, bytes]);
      for (; pending.byteLength >= size; pending = pending.subarray(size)) yield pending.subarray(0, size);
    }
  } catch (error) {
    broken = signal.aborted ? error : connectionFailed(error);
  }
  if (pending.byteLength > 0) yield pending;
  if (broken !== undefined) throw broken;
}

function headOf({ statusCode = 0, headers }: IncomingMessage): ResponseHead {
  const get = (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  return { status: statusCode, headers: { get } };
}

function connectionFailed(error: unknown): RetryableError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RetryableError(`The connection failed: ${why}.`, { cause: error });
}
