import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { findUpstream, type UpstreamClient, type UpstreamResponse } from "../define-server.js";
import { limits } from "../limits.js";
import type { Call2026 } from "./call-2026.js";

interface OpenRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (response: UpstreamResponse) => void;
}

/**
 * A client that another server asks for something while it carries out a task. The client finds that in the answer to its request, and
 * answers with its next one. It is kept in memory alone: a request ends with the process that it came to.
 *
 * Source: MCP 2026-07-28, Multi Round-Trip Requests; SEP-2663, "tasks/update".
 */
export class ReturningClient implements UpstreamClient {
  readonly capabilities: JsonObject;
  readonly #onEnd: () => void;
  readonly #open = new Map<string, OpenRequest>();
  #asked = new AbortController();
  #count = 0;
  #here = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onEnd is called when it does not return any longer. */
  constructor(capabilities: JsonObject, onEnd: () => void) {
    this.capabilities = capabilities;
    this.#onEnd = onEnd;
  }

  /** Aborts as soon as it is asked for something, until it has answered all. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** What it is asked for, as it is sent to it. */
  get inputRequests(): JsonObject {
    return Object.fromEntries(Array.from(this.#open, ([key, { method, params }]) => [key, { method, params }]));
  }

  request(method: string, params: JsonObject, signal: AbortSignal, wanted = method): Promise<UpstreamResponse> {
    if (this.#open.size >= limits.maxPassedRequests)
      return Promise.resolve(refusal("It is asked for too much at once."));
    this.#count += 1;
    const key = this.#open.has(wanted) ? `${wanted}-${this.#count}` : wanted;
    return new Promise((resolve) => {
      const answer = (response: UpstreamResponse) => {
        signal.removeEventListener("abort", cancel);
        this.#open.delete(key);
        if (this.#open.size === 0) this.#asked = new AbortController();
        resolve(response);
      };
      const cancel = () => answer(refusal("The request was cancelled."));
      signal.addEventListener("abort", cancel);
      this.#open.set(key, { method, params, answer });
      this.#asked.abort("asked");
    });
  }

  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of [...this.#open]) {
      const result = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isJsonObject(result)) answer({ result });
    }
  }

  /** It is here. Returns what says that it has left, for a time after which it does not return. */
  arrive(): () => void {
    clearTimeout(this.#timer);
    this.#here += 1;
    return () => {
      this.#here -= 1;
      if (this.#here === 0) this.#timer = setTimeout(() => this.end(), limits.clientReturnsMs).unref();
    };
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#onEnd();
    for (const { answer } of [...this.#open.values()]) answer(refusal("Its client did not come back."));
  }
}

function refusal(message: string): UpstreamResponse {
  return { error: { code: rpcCodes.refused, message } };
}

const returning = new WeakMap<Engine, Map<string, ReturningClient>>();

/** The client of a task that another server carries out, if it can be asked for something. */
export function returningClient({ engine, client }: Call2026, taskId: string): ReturningClient | undefined {
  const upstream = findUpstream(engine);
  if (upstream === undefined) return undefined;
  const clients = returning.get(engine) ?? new Map<string, ReturningClient>();
  returning.set(engine, clients);
  const known = clients.get(taskId);
  const { sampling, roots, elicitation } = client.capabilities;
  if (known !== undefined || (sampling ?? roots ?? Object(elicitation).url) === undefined) return known;
  const made = new ReturningClient(client.capabilities, () => {
    clients.delete(taskId);
    leave();
  });
  const leave = upstream.join(taskId, made);
  clients.set(taskId, made);
  return made;
}
