import { RetryableError, TerminalError } from "@resumable-mcp/core";
import { type DownloadState, planDownload, requestHeaders } from "./plan-download.js";

/** A response whose bytes follow those that the state counts. */
export interface Rest {
  readonly response: Response;
  readonly state: DownloadState;
  /** Why the bytes on disk count no more. */
  readonly reason?: string;
}

/**
 * Requests the bytes that are missing, or all of them where the server has another file by now.
 *
 * @throws RetryableError for what may pass; TerminalError for what will not.
 */
export async function fetchRest(url: string, state: DownloadState, signal: AbortSignal): Promise<Rest> {
  const response = await fetch(url, { headers: requestHeaders(state), signal }).catch((error: unknown) => {
    throw signal.aborted ? error : connectionFailed(error);
  });
  const plan = planDownload(state, response);
  if (plan.kind === "continue" || plan.kind === "begin") return { ...plan, response };
  await response.body?.cancel();
  if (plan.kind === "fail") {
    const message = `${plan.reason} for ${url}.`;
    throw plan.mayPass ? new RetryableError(message) : new TerminalError(message);
  }
  // A request for everything that gets no usable answer is not made again.
  if (state.received === 0) throw new TerminalError(`The server refuses even the first byte of ${url}.`);
  return { ...(await fetchRest(url, plan.state, signal)), reason: plan.reason };
}

/** Cuts a body into pieces of one size. What came before a break is yielded first; then the break is thrown. */
export async function* readPieces({ response }: Rest, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let pending = Buffer.alloc(0);
  let broken: unknown;
  try {
    for await (const bytes of response.body ?? []) {
      pending = Buffer.concat([pending, bytes]);
      for (; pending.byteLength >= size; pending = pending.subarray(size)) yield pending.subarray(0, size);
    }
  } catch (error) {
    broken = signal.aborted ? error : connectionFailed(error);
  }
  if (pending.byteLength > 0) yield pending;
  if (broken !== undefined) throw broken;
}

function connectionFailed(error: unknown): RetryableError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RetryableError(`The connection failed: ${why}.`, { cause: error });
}
