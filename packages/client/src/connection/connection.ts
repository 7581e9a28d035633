import { ClientError } from "../client-error.js";
import type { ClientLimits } from "../limits.js";
import {
  type ConnectionEvent,
  type ConnectionState,
  initialConnectionState,
  reduceConnection,
} from "./connection-state.js";
import { failureError, LinkFailure, type LinkFailureKind, type LinkSession, type ServerLink } from "./link.js";

/** After these nothing changes by trying again. */
const finalKinds: ReadonlySet<LinkFailureKind> = new Set(["unauthorized", "untrusted", "not_mcp", "answer"]);

/** Whether a request may be repeated: `always`, or only if it certainly had no effect. */
export type RetryRule = "always" | "if_unsent";

/** How an operation is run. */
export interface RunOptions {
  /** A function is asked after a break, when more is known. */
  readonly retry: RetryRule | (() => RetryRule);
  readonly signal?: AbortSignal;
}

/** What listeners of a connection receive. */
export type ConnectionChange =
  | { readonly type: "state"; readonly state: ConnectionState }
  | { readonly type: "session"; readonly previous?: LinkSession; readonly session?: LinkSession };

/** What a connection needs from outside. */
export interface ConnectionOptions {
  /** For messages. */
  readonly address: string;
  /** What to do when no server answers, as a sentence. */
  readonly advice: string;
  /** Opens a link, in the given session if there is one; fails with `session_lost` when that has ended. */
  readonly open: (session: LinkSession | undefined) => Promise<ServerLink>;
  readonly session?: LinkSession;
  readonly limits: ClientLimits;
  readonly random: () => number;
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A server's connection: provides the link, and replaces it after a break. Opens nothing before it is needed. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<(change: ConnectionChange) => void>();
  readonly #closing = new AbortController();
  /** Ends the wait before the next attempt. */
  #waking = new AbortController();
  #state: ConnectionState = initialConnectionState;
  #session: LinkSession | undefined;
  #link: ServerLink | undefined;
  #opening: Promise<ServerLink> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#session = options.session;
  }

  /** The present state. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** Calls the listener after each change of state and session; returns the function that ends this. */
  subscribe(listener: (change: ConnectionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs an operation on the link: connects first, and runs it again after a break where the rule allows it.
   *
   * @throws {@link ClientError} `SERVER_UNREACHABLE`, `CONNECTION_LOST` and the codes of what the server refused.
   */
  async run<T>(operation: (link: ServerLink) => Promise<T>, { retry, signal }: RunOptions): Promise<T> {
    for (;;) {
      const link = await this.#acquire(signal);
      try {
        const value = await operation(link);
        this.#dispatch({ type: "proved" });
        return value;
      } catch (error) {
        if (!(error instanceof LinkFailure)) throw error;
        this.#afterFailure(link, error);
        if (!mayRepeat(error, typeof retry === "function" ? retry() : retry) || this.#state.name === "down")
          throw failureError(error, this.#options);
      }
    }
  }

  /** Tries at once where the next attempt to connect waits. */
  retryNow(): void {
    this.#waking.abort();
  }

  async close(): Promise<void> {
    this.#dispatch({ type: "closed" });
    this.#closing.abort();
    await this.#link?.close();
    this.#link = undefined;
    this.#listeners.clear();
  }

  /** Resolves to the open link; callers that come while it is being opened share one attempt. */
  async #acquire(signal?: AbortSignal): Promise<ServerLink> {
    if (signal?.aborted) throw new ClientError("ABORTED", "The request was aborted.");
    if (this.#state.name === "closed") throw new ClientError("CLIENT_CLOSED", "The client is closed.");
    if (this.#link !== undefined && this.#state.name === "connected") return this.#link;
    this.#opening ??= this.#openWithRetry().finally(() => {
      this.#opening = undefined;
    });
    return raceAbort(this.#opening, signal);
  }

  async #openWithRetry(): Promise<ServerLink> {
    this.#dispatch({ type: "wanted" });
    for (;;) {
      if (this.#state.name === "waiting") {
        this.#waking = new AbortController();
        const ends = AbortSignal.any([this.#closing.signal, this.#waking.signal]);
        await this.#options.delay(this.#state.nextDelayMs, ends).catch(() => undefined);
        this.#dispatch({ type: "elapsed" });
      }
      if (this.#state.name === "closed") throw new ClientError("CLIENT_CLOSED", "The client is closed.");
      try {
        return await this.#openOnce();
      } catch (error) {
        if (!(error instanceof LinkFailure)) throw error;
        this.#dispatchFailure(error);
        // Nothing was asked yet, so nothing can have taken effect.
        const kind = error.cause === undefined ? "silent" : "unreachable";
        const failure = error.kind === "broken" ? new LinkFailure(kind, error.message, error) : error;
        if (this.#state.name !== "waiting") throw failureError(failure, this.#options);
      }
    }
  }

  /** Opens a link in the known session, or in a new one when the server no longer knows that. */
  async #openOnce(): Promise<ServerLink> {
    const previous = this.#session;
    // A link that outlived the break (over HTTP only a stream broke) is kept, so that its other requests go on.
    const kept = this.#link;
    try {
      if (kept === undefined) return await this.#opened(await this.#options.open(previous));
      await kept.ping({ timeoutMs: this.#options.limits.requestTimeoutMs });
      return this.#opened(kept);
    } catch (error) {
      if (!(error instanceof LinkFailure)) throw error;
      // Without a session there is nothing to come back to: a link that does not answer is replaced.
      const replaced = error.kind === "session_lost" || (kept !== undefined && kept.session === undefined);
      if (!replaced) throw error;
      await this.#dropLink();
      this.#session = undefined;
      return this.#opened(await this.#options.open(undefined), previous);
    }
  }

  async #opened(link: ServerLink, lost?: LinkSession): Promise<ServerLink> {
    if (this.#state.name === "closed") {
      await link.close();
      throw new ClientError("CLIENT_CLOSED", "The client is closed.");
    }
    this.#link = link;
    const changed = link.session?.sessionId !== this.#session?.sessionId;
    this.#session = link.session;
    this.#dispatch({ type: "opened" });
    if (changed) {
      this.#notify({
        type: "session",
        previous: lost,
        session: link.session,
      });
    }
    return link;
  }

  #afterFailure(link: ServerLink, failure: LinkFailure): void {
    // Another request found the break first, and the link has been replaced since.
    if (link !== this.#link) return;
    if (failure.kind === "answer" || failure.kind === "aborted") return;
    this.#dispatchFailure(failure);
  }

  async #dropLink(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    await link?.close();
  }

  #dispatchFailure(failure: LinkFailure): void {
    if (finalKinds.has(failure.kind)) this.#dispatch({ type: "refused", reason: failure.message });
    else this.#dispatch({ type: "broke", reason: failure.message, jitter: this.#options.random() });
  }

  #dispatch(event: ConnectionEvent): void {
    const next = reduceConnection(this.#state, event, this.#options.limits);
    if (next === this.#state) return;
    this.#state = next;
    this.#notify({ type: "state", state: next });
  }

  #notify(change: ConnectionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function mayRepeat(failure: LinkFailure, rule: RetryRule): boolean {
  if (failure.kind === "unreachable" || failure.kind === "session_lost") return true;
  return failure.kind === "broken" && rule === "always";
}

/** Rejects as soon as the signal aborts; the promise itself stays for its other users. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new ClientError("ABORTED", "The request was aborted."));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
