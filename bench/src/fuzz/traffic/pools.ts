import type { JsonObject } from "@resumable-mcp/core";
import type { Random } from "../../kills/kill-plan.js";
import type { Header } from "../http-draft.js";

const maxPooled = 24;

/** Names that the server gave to one owner, newest last. Limits: 24 of each kind. */
class Pool<Item> {
  readonly #items: Item[] = [];

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(item: Item): void {
    if (this.#items.at(-1) === item) return;
    this.#items.push(item);
    if (this.#items.length > maxPooled) this.#items.shift();
  }

  remove(item: Item): void {
    const at = this.#items.indexOf(item);
    if (at >= 0) this.#items.splice(at, 1);
  }

  /** Takes one choice of `random`, whatever is in the pool. */
  pick<None>(random: Random, none: None): Item | None {
    const at = Math.floor(random.next() * this.#items.length);
    return this.#items[at] ?? none;
  }
}

/** A place in the streams of a session. */
interface Place {
  readonly session: string;
  readonly eventId: string;
}

/** A call that the server of the 2026 era asks something about. */
interface OpenRoundTrip {
  readonly params: JsonObject;
  readonly requestState: string;
}

/** What one owner knows from the server. */
export class Known {
  readonly sessions = new Pool<string>();
  readonly tasks = new Pool<string>();
  readonly places = new Pool<Place>();
  readonly questions = new Pool<string>();
  readonly roundTrips = new Pool<OpenRoundTrip>();
  readonly cursors = new Pool<string>();
  readonly requestIds = new Pool<string | number>();

  /** Reads names out of an answer. */
  learn(text: string, session: string | undefined, sent: unknown): void {
    for (const [, id = ""] of text.matchAll(/(?:taskId|task_id)\\?":\\?"([A-Za-z0-9_-]{22})/g)) this.tasks.add(id);
    for (const [, id = ""] of text.matchAll(/"id":"(ask:[^"]+)"/g)) this.questions.add(id);
    for (const [, cursor = ""] of text.matchAll(/nextCursor\\?":\\?"([^"\\]+)/g)) this.cursors.add(cursor);
    for (const [, eventId = ""] of text.matchAll(/^id: (\S+)$/gm))
      if (session !== undefined) this.places.add({ session, eventId });
    const requestState = /"requestState":"([^"]+)"/.exec(text)?.[1];
    const params = paramsOf(sent);
    if (requestState !== undefined && params !== undefined) this.roundTrips.add({ params, requestState });
  }
}

function paramsOf(sent: unknown): JsonObject | undefined {
  const params = typeof sent === "object" && sent !== null && "params" in sent ? sent.params : undefined;
  return typeof params === "object" && params !== null && !Array.isArray(params) ? (params as JsonObject) : undefined;
}

/** One of those who call. */
export interface Caller {
  readonly number: number;
  /** Headers of every request. */
  readonly headers: readonly Header[];
  /** `_meta` of every request that opens a session, or is of the 2026 era. */
  readonly meta: JsonObject;
  /** What stands in its inputs, and in no answer to another caller. */
  readonly canary: string;
  readonly known: Known;
}

/** Makes a caller; `token`: what it shows, otherwise it only has a name. */
export function createCaller(number: number, token: string | undefined): Caller {
  const name = `fuzzer-${String(number).padStart(2, "0")}-0123456789abcdef0123456789abcdef`;
  return {
    number,
    headers: token === undefined ? [] : [["Authorization", `Bearer ${token}`]],
    meta: token === undefined ? { "resumable-mcp/client_id": name } : {},
    canary: `canary-${String(number).padStart(2, "0")}-`,
    known: new Known(),
  };
}
