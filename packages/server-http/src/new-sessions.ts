import type { HttpAnswer, HttpRequest, RequestContext } from "@resumable-mcp/mcp";

/** Answers one request to the MCP endpoint. */
type Answer = (request: HttpRequest, context: RequestContext) => Promise<HttpAnswer>;

interface NewSession {
  readonly openedMs: number;
  readonly url: URL;
  readonly context: RequestContext;
}

/** What the table of one server needs. */
export interface NewSessionsOptions {
  readonly limits: {
    readonly newSessionTtlMs: number;
    readonly maxNewSessionsPerAddress: number;
    readonly maxCallers: number;
  };
  readonly answer: Answer;
  /** Tells whether a session was used at another process. */
  readonly wasUsed: (sessionId: string) => Promise<boolean>;
  readonly nowMs: () => number;
  /** Calls once, after a time; does not keep the process alive. */
  readonly after: (ms: number, run: () => void) => void;
}

/**
 * Ends sessions that strangers opened and never used: to open one costs nothing, and it counts for days.
 *
 * A session is used by its first request but a ping, and by its standalone stream. Only sessions that this process opened are
 * known: after its end they expire like all others.
 *
 * Limits: `newSessionTtlMs`; `maxNewSessionsPerAddress` of one network and `maxCallers` in all, of which the oldest end first.
 */
export class NewSessions {
  readonly #options: NewSessionsOptions;
  /** Oldest first. */
  readonly #sessions = new Map<string, NewSession>();
  #isArmed = false;

  constructor(options: NewSessionsOptions) {
    this.#options = options;
  }

  /** Passes a request on, and notes what it says of its session. */
  async pass(request: HttpRequest, context: RequestContext): Promise<HttpAnswer> {
    const { answer } = this.#options;
    const id = request.header("mcp-session-id");
    if (id !== undefined && this.#sessions.has(id)) return answer(this.#noting(request, id), context);
    const given = await answer(request, context);
    const opened = given.headers["mcp-session-id"];
    if (id === undefined && opened !== undefined && context.network !== undefined && given.status === 200) {
      this.#add(opened, { openedMs: this.#options.nowMs(), url: request.url, context });
    }
    return given;
  }

  #noting(request: HttpRequest, id: string): HttpRequest {
    if (request.method !== "POST") {
      this.#sessions.delete(id);
      return request;
    }
    const { method, url, headers } = request;
    const text = async (maxBytes: number) => {
      const read = await request.text(maxBytes);
      if (read !== undefined && !saysNothing(read)) this.#sessions.delete(id);
      return read;
    };
    return { method, url, headers, header: (name) => request.header(name), text, toWeb: () => request.toWeb() };
  }

  #add(id: string, session: NewSession): void {
    const { maxNewSessionsPerAddress, maxCallers } = this.#options.limits;
    this.#sessions.set(id, session);
    const { network } = session.context;
    const ofNetwork = [...this.#sessions].filter(([, one]) => one.context.network === network);
    const [oldest] = this.#sessions.keys();
    if (ofNetwork.length > maxNewSessionsPerAddress) this.#end(ofNetwork[0]?.[0]);
    else if (this.#sessions.size > maxCallers) this.#end(oldest);
    this.#arm();
  }

  #arm(): void {
    const [oldest] = this.#sessions.values();
    if (this.#isArmed || oldest === undefined) return;
    this.#isArmed = true;
    const { limits, nowMs, after } = this.#options;
    after(Math.max(0, oldest.openedMs + limits.newSessionTtlMs - nowMs()), () => {
      this.#isArmed = false;
      const expiredMs = nowMs() - limits.newSessionTtlMs;
      for (const [id, { openedMs }] of this.#sessions) if (openedMs <= expiredMs) this.#end(id);
      this.#arm();
    });
  }

  /** As its client would. What fails here expires like all others. */
  #end(id: string | undefined): void {
    const session = this.#sessions.get(id ?? "");
    if (id === undefined || session === undefined) return;
    this.#sessions.delete(id);
    const { answer, wasUsed } = this.#options;
    const headers = { "mcp-session-id": id };
    const request: HttpRequest = {
      method: "DELETE",
      url: session.url,
      headers,
      header: (name) => (name === "mcp-session-id" ? id : undefined),
      text: async () => "",
      toWeb: () => new Request(session.url, { method: "DELETE", headers }),
    };
    wasUsed(id)
      .then((used) => (used ? undefined : answer(request, session.context)))
      .catch(() => {});
  }
}

/** Every client sends the one, and some the other, without using the session. */
function saysNothing(text: string): boolean {
  return text.length <= 1_024 && /"method"\s*:\s*"(?:notifications\/initialized|ping)"/.test(text);
}
