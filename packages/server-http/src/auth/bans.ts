import { errorSentence } from "@resumable-mcp/command-line";
import { type Engine, isResumableError } from "@resumable-mcp/core";
import { listBans, unfinishedStatuses } from "@resumable-mcp/core/store";
import { HttpAnswer, ownerOfToken } from "@resumable-mcp/mcp";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import type { HttpLimits } from "../http-limits.js";
import type { Log } from "../log.js";
import type { Authorization } from "./authorization.js";

/** What a server does about bans. */
interface BansOptions {
  readonly engine: Pick<Engine, "documents" | "forOwner">;
  /** How often the store is asked. */
  readonly everyMs: number;
  /** How long a request that was let in may take until its call begins. */
  readonly requestMs: number;
  readonly onError: (error: unknown) => void;
}

const pageSize = 100;

/** Who is banned, as the store said last. While it says nothing, the ones of before stay banned. */
export class Bans {
  readonly #options: BansOptions;
  /** Looks that cancel the tasks of an owner after its ban was seen: a call that was let in before may still make one. */
  readonly #cancellingLooks: number;
  /** Looks that are left after which the owner's tasks are cancelled. */
  #banned = new Map<string, number>();
  #cancelling: Promise<void> | undefined;
  /** Who hears of a ban of an owner: what it has open. */
  readonly #listeners = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: BansOptions) {
    this.#options = options;
    this.#cancellingLooks = Math.ceil(options.requestMs / options.everyMs) + 2;
  }

  has(owner: string): boolean {
    return this.#banned.has(owner);
  }

  /** Calls back once when the owner is banned, or is already, in a later turn; the returned function prevents it. */
  whenBanned(owner: string, onBanned: () => void): () => void {
    const listeners = this.#listeners.get(owner) ?? new Set();
    const listener = () => onBanned();
    this.#listeners.set(owner, listeners.add(listener));
    // A request that was let in before the ban may open a stream after it.
    if (this.has(owner)) setImmediate(() => this.#tell(owner));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(owner) === listeners) this.#listeners.delete(owner);
    };
  }

  #tell(owner: string): void {
    for (const listener of this.#listeners.get(owner) ?? []) listener();
    this.#listeners.delete(owner);
  }

  /** Looks now, and from then on every so many milliseconds. @throws what the store throws, for the first look. */
  async start(): Promise<void> {
    // No request was let in yet: once is enough for those who are banned already.
    await this.#look(1);
    this.#repeat();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Reads the bans, ends the streams of those who are banned, and begins to cancel their unfinished tasks while the ban is new. */
  async #look(cancellingLooks: number): Promise<void> {
    const known = this.#banned;
    const bans = await listBans(this.#options.engine.documents);
    this.#banned = new Map(bans.map(({ owner }) => [owner, known.get(owner) ?? cancellingLooks]));
    for (const owner of this.#banned.keys()) this.#tell(owner);
    // Neither the start of the server nor the next look waits for it: there may be many owners, and many tasks.
    this.#cancelling ??= this.#cancelAll()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#cancelling = undefined;
      });
  }

  async #cancelAll(): Promise<void> {
    for (const [owner, left] of [...this.#banned]) {
      if (left === 0 || this.#stopped) continue;
      await this.#cancelTasks(owner);
      if (this.has(owner)) this.#banned.set(owner, left - 1);
    }
  }

  #report(error: unknown): void {
    // The store was closed meanwhile.
    if (!this.#stopped) this.#options.onError(error);
  }

  #repeat(): void {
    this.#timer = setTimeout(() => {
      this.#look(this.#cancellingLooks)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          if (!this.#stopped) this.#repeat();
        });
    }, this.#options.everyMs).unref();
  }

  async #cancelTasks(owner: string): Promise<void> {
    const tasks = this.#options.engine.forOwner(owner);
    for (let cursor: string | undefined; ; ) {
      const page = await tasks.list({
        statuses: unfinishedStatuses,
        limit: pageSize,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { id } of page.tasks) await tasks.cancel(id).catch(ignoreFinished);
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }
}

function ignoreFinished(error: unknown): void {
  if (!isResumableError(error, "ILLEGAL_TRANSITION", "TASK_NOT_FOUND", "TASK_CORRUPT")) throw error;
}

/** Bans are read before the server listens: one that starts does not let a banned subject in. */
export async function startBans(
  authorization: Authorization | undefined,
  { engine, limits, log = () => {} }: Pick<BansOptions, "engine"> & { limits: HttpLimits; log?: Log | undefined },
): Promise<{ readonly authorization?: Authorization; readonly bans?: Bans }> {
  if (authorization === undefined) return {};
  const onError = (error: unknown) => log("error", `Who is banned could not be read: ${errorSentence(error)}`);
  const requestMs = limits.requestTimeoutMs + limits.verifyTokenTimeoutMs;
  const bans = new Bans({ engine, everyMs: limits.banLookMs, requestMs, onError });
  await bans.start();
  return { authorization: withBans(authorization, bans), bans };
}

/** Refuses the requests of those who are banned. Their token is valid: another one would not help, so that no challenge is sent. */
function withBans(authorization: Authorization, bans: Pick<Bans, "has" | "whenBanned">): Authorization {
  return {
    ...authorization,
    async authenticate(request) {
      const verdict = await authorization.authenticate(request);
      if (verdict instanceof HttpAnswer) return verdict;
      const owner = ownerOfToken(verdict);
      if (!bans.has(owner)) return { ...verdict, whenRevoked: (onRevoked) => bans.whenBanned(owner, onRevoked) };
      const message = "The operator of this server has banned this subject. Ask them.";
      const headers = { "cache-control": "no-store" };
      return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.notAccepted, message), 403, headers);
    },
  };
}
