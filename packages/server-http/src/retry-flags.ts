import { type SessionLimits, sessionLimits } from "@resumable-mcp/mcp";
import { durationOf } from "@resumable-mcp/mcp/command-line";

/** The flags that say when clients come back to a broken stream. */
export const retryFlags = {
  retry: { type: "string" },
  "drain-retry": { type: "string" },
} as const;

/** How they are used. */
export const retryUsage = `  --retry TIME           how long clients wait before they reconnect; most try twice, so that a call survives
                         an outage of up to twice this time (${seconds("retryMs")})
  --drain-retry TIME     the same for clients of a server that stops on SIGTERM (${seconds("drainRetryMs")})`;

type RetryFlags = { readonly [Flag in keyof typeof retryFlags]?: string | undefined };
type RetryLimits = Partial<Pick<SessionLimits, "retryMs" | "drainRetryMs">>;

/** Clients wait for it with a request open, and give that up after a minute or a few. */
const maxRetryMs = 60 * 60_000;
/** No connection is refused then: the first attempt waits in the socket's queue until the next process accepts it. */
const passedSocket = { retryMs: 1_000, drainRetryMs: 1_000 };

/**
 * Reads the flags.
 *
 * @param fd the listening socket that a parent owns, if one does.
 * @throws {@link CommandError} that names the flag and what it takes.
 */
export function readRetry(flags: RetryFlags, fd: number | undefined): RetryLimits {
  const retryMs = durationOf("retry", flags.retry, { maxMs: maxRetryMs });
  const drainRetryMs = durationOf("drain-retry", flags["drain-retry"], { maxMs: maxRetryMs });
  return {
    ...(fd === undefined ? {} : passedSocket),
    ...(retryMs === undefined ? {} : { retryMs }),
    ...(drainRetryMs === undefined ? {} : { drainRetryMs }),
  };
}

function seconds(limit: "retryMs" | "drainRetryMs"): string {
  return `${sessionLimits[limit] / 1_000}s`;
}
