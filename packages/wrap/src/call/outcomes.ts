import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { wrapLimits } from "../limits.js";
import type { CallState } from "./plan.js";

/** A result that says what went wrong in the gateway. Source: docs/errors.md. */
export function failure(code: string, message: string): UpstreamResponse {
  return {
    result: {
      content: [{ type: "text", text: message }],
      structuredContent: { error: { code, message } },
      isError: true,
    },
  };
}

/** What is known of a call that may have taken effect. */
interface UnknownOutcome {
  readonly why: string;
  /** What the server reported of it last. */
  readonly reached: string;
  readonly isRepeated?: boolean;
}

/** Of a call that may have taken effect. */
export function unknownOutcome(name: string, { why, reached, isRepeated = false }: UnknownOutcome): UpstreamResponse {
  const far = reached === "" ? "" : ` It had reported ${reached}.`;
  const advice = `It was not called a second time: who runs the gateway may allow that with --repeat ${name}=always.`;
  return failure(
    "OUTCOME_UNKNOWN",
    `${why}: ${name} may or may not have taken effect.${far} Check before you call it again.${isRepeated ? "" : ` ${advice}`}`,
  );
}

/** Of a call whose server does not come back. */
export function notMade(name: string, error: unknown, { waits }: CallState): UpstreamResponse {
  const why = error instanceof Error ? error.message : String(error);
  const what = waits === true ? `${name} was not called.` : `${name} may or may not have taken effect.`;
  return failure(
    "UPSTREAM_AWAY",
    `The server of ${name} is not there. ${why} ${what} Call it again when the server is back.`,
  );
}

/** Of a call that is cancelled, since it would not end with a result that can be kept. */
export function tooMuchAppended(name: string): UpstreamResponse {
  return failure(
    "LIMIT_EXCEEDED",
    `${name} appends more than ${wrapLimits.maxAppendedBytes} bytes to its result (maxAppendedBytes). It was cancelled, and may or may not have taken effect. Ask it for less.`,
  );
}

/** Of a call that needs headers of its caller, which has not made it again since a restart or a pause. */
export function callerAway(name: string, { waits }: CallState): UpstreamResponse {
  const what =
    waits === true ? "was not called. Call it" : "may or may not have taken effect. Check before you call it";
  return failure(
    "CALLER_AWAY",
    `Headers of the caller are not stored, and it did not come back: ${name} ${what} again.`,
  );
}

/** A result that is too large to keep is not kept: the call has taken effect, and must not be made again for that. */
export function kept(name: string, response: UpstreamResponse): UpstreamResponse {
  const bytes = Buffer.byteLength(JSON.stringify(response));
  const { maxOutputBytes } = wrapLimits;
  if (bytes <= maxOutputBytes) return response;
  return failure(
    "LIMIT_EXCEEDED",
    `${name} has ended, but its result has ${bytes} bytes, and maxOutputBytes allows ${maxOutputBytes}. Ask it for less.`,
  );
}
