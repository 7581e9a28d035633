import { LinkFailure } from "../connection/link.js";

/** A time limit that each sign of life restarts, together with a caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  reset(): void;
  /** Stops the time until it is restarted: a user thinks. */
  hold(): void;
  /** Why the signal was aborted, or `undefined` while it was not. */
  failure(): LinkFailure | undefined;
  clear(): void;
}

/** Starts a time limit. */
export function createDeadline(timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let failure: LinkFailure | undefined;
  const end = (reason: LinkFailure) => {
    failure ??= reason;
    controller.abort(reason.message);
  };
  const onTimeout = () => end(new LinkFailure("broken", `no answer within ${Math.round(timeoutMs / 1000)} s`));
  const onAbort = () => end(new LinkFailure("aborted", "given up by the caller"));
  let timer = setTimeout(onTimeout, timeoutMs);
  if (outer?.aborted) onAbort();
  outer?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    reset() {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    },
    hold: () => clearTimeout(timer),
    failure: () => failure,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}
