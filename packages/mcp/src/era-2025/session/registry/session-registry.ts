import { type Engine, isResumableError, type JsonObject } from "@resumable-mcp/core";
import { ownerTag, withDefaults } from "@resumable-mcp/core/internal";
import type { CountedGroup } from "@resumable-mcp/core/store";
import { parseCallMeta } from "../../../call/call.js";
import { isForAll } from "../../../control/upstream.js";
import { HttpAnswer, refusal } from "../../../http/http-answer.js";
import { type SessionLimits, sessionLimits } from "../../../limits.js";
import { findLocality, ownerOfToken, theLocalUser } from "../../../owner/owner.js";
import { randomToken } from "../../../owner/random-token.js";
import type { JSONRPCRequest, MessageExtraInfo } from "../../../sdk-2025.js";
import { KeptDocument } from "../kept-document.js";
import { Session2025, type SessionCommons, type SessionServer } from "../session.js";
import { jsonAnswer } from "../session-answers.js";
import { type SessionDocument, sessionKind } from "../session-document.js";
import { SessionRoom, UnusedSessions } from "./session-room.js";
import { type SessionContext, type SessionHandlerOptions, serverOf } from "./session-server.js";
import { SessionSweep } from "./session-sweep.js";

/** How the sessions of a caller are counted. */
interface CountedSessions extends CountedGroup {
  /** All of them are of one owner, so that one may end for another. */
  readonly isOfOne: boolean;
}

const validId = /^[A-Za-z0-9]{32}$/;
const unauthenticated = "session:";

/** The sessions of one endpoint: a few in memory, all of them in the store. */
export class SessionRegistry implements SessionCommons {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly onError: (error: unknown) => void;
  readonly #serverOf: (context: SessionContext) => Promise<SessionServer>;
  readonly #live = new Map<string, Session2025 | Promise<Session2025>>();
  readonly #room: SessionRoom;
  readonly #unused = new UnusedSessions<Session2025>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #unwatch: (() => void) | undefined;
  readonly #sweep: SessionSweep<Session2025>;
  #checking: Promise<void> | undefined;

  constructor(options: SessionHandlerOptions) {
    const { engine, limits, onError = () => {} } = options;
    this.engine = engine;
    this.limits = withDefaults<SessionLimits>(sessionLimits, limits);
    this.onError = onError;
    this.#serverOf = serverOf(options);
    const { documents } = engine;
    const isLive = (id: string) => this.#live.has(id);
    this.#room = new SessionRoom({ documents, limits: this.limits, isLive });
    this.#sweep = new SessionSweep({
      ...{ documents, limits: this.limits, isLive, onError },
      live: () => this.#loaded(),
      forget: (session) => this.#forget(session),
      endUnused: (session) => this.#endUnused(session),
    });
    this.#unwatch = options.definition?.upstream?.watch((change) => {
      if (!isForAll(change)) return;
      for (const session of this.#loaded()) void session.tell({ jsonrpc: "2.0", ...change }).catch(onError);
    });
    this.#timers = [
      setInterval(() => void this.#sweepNow(), this.limits.sweepEveryMs).unref(),
      setInterval(() => void this.#checkBusy(), this.limits.checkSessionMs).unref(),
    ];
  }

  /**
   * Durability: the session is in the store before its id goes out. Limits: a caller that is known, or local, loses an idle
   * session rather than be refused.
   *
   * @param network counts the sessions of callers without a token; without it they are counted all together.
   */
  async open(request: JSONRPCRequest, extra: MessageExtraInfo, network = ""): Promise<HttpAnswer> {
    const principal = ownerOfToken(extra.authInfo);
    const counted = this.#countedOf(principal, extra, network);
    if (this.#room.isFull(counted.group)) return tooMany(counted);
    const id = randomToken(32);
    const owner = principal ?? ownerTag("session", id);
    const initialize: JsonObject = JSON.parse(JSON.stringify(request.params ?? {}));
    const { clientId } = parseCallMeta(initialize._meta);
    const local = isLocalRequest(extra) || undefined;
    const unused = network !== "" || undefined;
    const key = randomToken(22);
    const draft = { value: { key, protocolVersion: "", initialize, clientId, local, unused }, version: 0 };
    const document = new KeptDocument(sessionKind, this.engine.documents, { id, owner, counted }, draft);
    const session = await this.#connect(document, extra);
    const answer = await session.open(request, extra);
    if (!("result" in answer)) {
      await session.close();
      return HttpAnswer.json(answer);
    }
    const protocolVersion = String(answer.result.protocolVersion);
    try {
      if (!(await this.#admit(session.document, protocolVersion, counted))) {
        await session.close();
        return tooMany(counted);
      }
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#live.set(id, session);
    const oldest = unused && this.#unused.add(network, session, this.limits.maxUnusedSessionsPerAddress);
    if (oldest) void this.#endUnused(oldest).catch(this.onError);
    if (this.#live.size > this.limits.maxLiveSessions) void this.#sweepNow();
    return jsonAnswer(answer, id);
  }

  /** By whom a session is counted. Local callers are the one user of this machine. */
  #countedOf(principal: string | undefined, extra: MessageExtraInfo, network: string): CountedSessions {
    const { maxSessionsPerOwner: max, maxSessionsPerAddress } = this.limits;
    const limit = "maxSessionsPerOwner";
    if (principal !== undefined) return { group: principal, max, limit, isOfOne: true };
    if (isLocalRequest(extra)) return { group: theLocalUser, max, limit, isOfOne: true };
    const group = `${unauthenticated}${network}`;
    if (network === "") return { group, max, limit, isOfOne: false };
    return { group, max: maxSessionsPerAddress, limit: "maxSessionsPerAddress", isOfOne: false };
  }

  /** Puts a new session into the store, if need be in the place of idle ones of its owner. False where there is no place. */
  async #admit(document: SessionDocument, protocolVersion: string, counted: CountedSessions): Promise<boolean> {
    const put = async (): Promise<boolean> => {
      try {
        await document.change((before) => ({ ...before, protocolVersion }));
        return true;
      } catch (error) {
        if (!isResumableError(error, "LIMIT_EXCEEDED")) throw error;
        return false;
      }
    };
    const isIn = (await put()) || (counted.isOfOne && (await this.#room.make(counted)) && (await put()));
    if (!isIn) this.#room.noteFull(counted.group);
    return isIn;
  }

  /** Finds a session, if need be in the store. A foreign one is as unknown as one that never was. */
  async find(id: string, extra: MessageExtraInfo): Promise<Session2025 | undefined> {
    if (!validId.test(id)) return undefined;
    let session = await this.#live.get(id);
    if (session === undefined || session.closed) {
      const document = await KeptDocument.open(sessionKind, this.engine.documents, id).catch(this.#noteUnreadable);
      if (document === undefined || !mayUse(document, extra)) return undefined;
      session = await this.#join(document, extra);
    }
    if (!mayUse(session.document, extra)) return undefined;
    session.lastUsedMs = performance.now();
    if (session.lastUsedMs - session.checkedMs >= this.limits.checkSessionMs) void this.#check(session);
    return session;
  }

  /** A session that this version cannot read is none to its client, which opens another one. */
  readonly #noteUnreadable = (error: unknown): undefined => {
    if (!isResumableError(error, "DOCUMENT_UNREADABLE")) throw error;
    this.onError(error);
  };

  /** Takes over what other processes did to a session; one that another process ended is ended here, too. */
  async #check(session: Session2025): Promise<void> {
    try {
      if (!session.closed && !(await session.check())) await this.#forget(session);
    } catch (error) {
      this.onError(error);
      // Another version has written it: no request finds it here any more.
      if (isResumableError(error, "DOCUMENT_UNREADABLE")) await this.#forget(session);
    }
  }

  /** Sessions with streams are checked without a request, one after another. */
  #checkBusy(): Promise<void> {
    this.#checking ??= (async () => {
      for (const session of this.#loaded()) if (session.busy) await this.#check(session);
    })().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async delete(session: Session2025): Promise<void> {
    await session.document.refresh();
    session.deleted = true;
    await this.#forget(session);
    await this.engine.documents.deleteDocument(sessionKind.kind, session.id);
    this.#room.forget();
  }

  /** A session that nothing was done with is not kept where memory has no place for it. Another process may have used it. */
  async #endUnused(session: Session2025): Promise<void> {
    await session.document.refresh();
    if (session.busy) return;
    await (session.isUnused ? this.delete(session) : this.#forget(session));
  }

  /** Ends all streams, so that their clients come back later, and writes down what is not written yet. */
  async close(): Promise<void> {
    this.#unwatch?.();
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#sweep.ended(), this.#checking]);
    const sessions = await this.#sessions();
    await Promise.all(sessions.map((session) => session.document.flush().catch(this.onError)));
    for (const session of sessions) session.tellRetry(this.limits.drainRetryMs);
    await Promise.all(sessions.map((session) => this.#forget(session)));
  }

  async #connect(document: SessionDocument, { authInfo, requestInfo }: MessageExtraInfo): Promise<Session2025> {
    const { id: sessionId, value } = document;
    const context = { sessionId, clientId: value.clientId, authInfo, locality: findLocality(requestInfo) };
    const { router, server } = await this.#serverOf(context);
    const session = new Session2025(document, this, router);
    if (server !== undefined) await session.connect(server);
    return session;
  }

  /** Several requests of one client come at once after a restart: one of them rebuilds the session for all. */
  #join(document: SessionDocument, extra: MessageExtraInfo): Promise<Session2025> {
    const { id } = document;
    const before = this.#live.get(id);
    const joined = Promise.resolve(before).then(async (known) => {
      if (known?.closed === false) return known;
      const session = await this.#connect(document, extra);
      await session.restore(extra);
      return session;
    });
    this.#live.set(id, joined);
    joined.then(
      (session) => this.#live.get(id) === joined && this.#live.set(id, session),
      () => this.#live.delete(id),
    );
    return joined;
  }

  #forget(session: Session2025): Promise<void> {
    this.#live.delete(session.id);
    return session.close();
  }

  /** Those in memory that are not still being rebuilt: nothing waits for the code that makes their servers. */
  #loaded(): readonly Session2025[] {
    return [...this.#live.values()].filter((entry) => entry instanceof Session2025);
  }

  #sweepNow(): Promise<void> {
    this.#room.forget();
    this.#unused.review();
    return this.#sweep.run();
  }

  /** Those in memory; one that cannot be rebuilt fails for its own request. */
  async #sessions(): Promise<readonly Session2025[]> {
    const joined = await Promise.allSettled(this.#live.values());
    return joined.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }
}

function tooMany({ limit, max }: CountedSessions): HttpAnswer {
  const text = `You have reached the limit ${limit} = ${max}. End a session with an HTTP DELETE request.`;
  return refusal(429, text);
}

/** A session stays with the subject that opened it; without one, with local requests or with all others. */
function mayUse({ owner, value }: SessionDocument, extra: MessageExtraInfo): boolean {
  const principal = ownerOfToken(extra.authInfo);
  if (principal !== undefined) return owner === principal;
  return owner.startsWith(unauthenticated) && (value.local ?? false) === isLocalRequest(extra);
}

function isLocalRequest({ requestInfo }: MessageExtraInfo): boolean {
  return findLocality(requestInfo).local;
}
