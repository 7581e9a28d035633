import { type Engine, isResumableError } from "@resumable-mcp/core";
import { listBans, unfinishedStatuses } from "@resumable-mcp/core/store";
import { HttpAnswer, ownerOfToken } from "@resumable-mcp/mcp";
import { sentenceOf } from "@resumable-mcp/mcp/command-line";
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
  /** Looks that are left in which the owner's tasks are cancelled. */
  #banned = new Map<string, number>();
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
    await this.look();
    this.#repeat();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Reads the bans, ends the streams of those who are banned, and cancels their unfinished tasks while the ban is new. */
  async look(): Promise<void> {
    const { engine } = this.#options;
    const known = this.#banned;
    const bans = await listBans(engine.documents);
    this.#banned = new Map(bans.map(({ owner }) => [owner, known.get(owner) ?? this.#cancellingLooks]));
    for (const owner of this.#banned.keys()) this.#tell(owner);
    for (const [owner, left] of this.#banned) {
      if (left === 0) continue;
      await this.#cancelTasks(owner);
      this.#banned.set(owner, left - 1);
    }
  }

  #repeat(): void {
    this.#timer = setTimeout(() => {
      this.look()
        .catch((error: unknown) => {
          // The store was closed meanwhile.
          if (!this.#stopped) this.#options.onError(error);
        })
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
  const onError = (error: unknown) => log("error", `Who is banned could not be read: ${sentenceOf(error)}`);
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
