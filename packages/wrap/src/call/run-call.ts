import type { Checkpoint, Json, JsonObject, TaskContext } from "@resumable-mcp/core";
import type { CallerHeaders, Era, UpstreamClient, UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { isLogLevel, metaKeys, rpcCodes } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import type { Connection, ServerFacts } from "../upstream/connection.js";
import type { OpenCall } from "../upstream/open-call.js";
import { ConnectionLost } from "../upstream/peer.js";
import { CallEvents } from "./call-events.js";
import { makeCall } from "./make-call.js";
import { callerAway, kept, notMade, tooMuchAppended, unknownOutcome } from "./outcomes.js";
import { type CallState, type NextCall, planCall, serverLost } from "./plan.js";
import { Questions } from "./questions.js";

/** Where a call is made, and what its user allows. */
export interface CallParts {
  /** The tool, as its server lists it. */
  readonly entry: JsonObject;
  /** Its name, as callers see it. */
  readonly name: string;
  /** Its call may be made again from the beginning, as its server lists it. */
  mayRepeat(listed: JsonObject): boolean;
  /** In which era the call of a task came. */
  eraOf(owner: string, taskId: string): Promise<Era>;
  /** Headers of a task's caller that go with its call; `undefined` where the caller does not come. */
  headersOf(taskId: string, signal: AbortSignal): Promise<CallerHeaders | undefined>;
  /** The connection of an owner, where it is there at once. */
  live(owner: string, era: Era): Connection | undefined;
  /** The same, once it is there. @throws an error that says why it is not. */
  connect(owner: string, era: Era, signal: AbortSignal): Promise<Connection>;
  /** A client with these capabilities that waits for the call of a task. */
  client(taskId: string, needed: JsonObject): UpstreamClient | undefined;
}

type Task = TaskContext<CallState | null, Json>;
type Steps = AsyncGenerator<Checkpoint<CallState | null, Json>, UpstreamResponse, void>;

/**
 * Makes the call of another server's tool, and makes it again where its server was lost, if it may.
 *
 * Durability: what decides whether the call may be made again is committed before the server hears of the call; what the server
 * reports, when the next step is. Cancellation: the server hears that the call is cancelled.
 */
export async function* runCall(parts: CallParts, input: JsonObject, task: Task): Steps {
  const { owner, signal } = task;
  const { name, entry } = parts;
  const call = new OneCall(parts, input, task);
  const isFirst = task.state === null && task.attempt === 1;
  // Where a call may be made again, that is noted before it is made. One without a note may have been made when it was not allowed.
  const isUnnoted = task.state === null && !isFirst && parts.mayRepeat(entry);
  const era = task.state?.era ?? (isFirst || isUnnoted ? await parts.eraOf(owner, task.id) : "2026");
  const spoken = era === "2025" ? { era } : {};
  let state: CallState = isFirst ? { waits: true, ...spoken } : (task.state ?? {});
  let known: CallState | null = task.state;
  // Nothing is left to continue from: no server is needed to know that.
  if (!isFirst && !isUnnoted && Object.keys(state).length === 0)
    return unknownOutcome(name, { why: "The process that made the call died", reached: call.reached });
  const passed = await parts.headersOf(task.id, signal);
  if (passed === undefined) return callerAway(name, state);
  /** How the server was lost last. */
  let lost = "";
  for (let losses = 0; ; ) {
    let connection = parts.live(owner, era);
    if (connection === undefined) {
      if (state.waits === true && known?.waits !== true) {
        known = state;
        yield { state, message: "waits for its server" };
      }
      try {
        connection = await parts.connect(owner, era, signal);
      } catch (error) {
        signal.throwIfAborted();
        return notMade(name, error, state);
      }
    }
    const listed = connection.facts.tools.find((tool) => tool.name === entry.name);
    const mayRepeat = parts.mayRepeat(listed ?? {});
    const of = identityOf(connection.facts, listed);
    if (isUnnoted) state = { repeatable: { since: task.createdAt, of }, ...state };
    const next = planCall({ state, of, mayRepeat, nowMs: Date.now(), losses });
    if (next.kind === "unknown")
      return unknownOutcome(name, { why: `${lost}${next.why}`, reached: call.reached, isRepeated: losses > 1 });
    const { waits: _waits, era: _era, ...made } = state;
    const repeatable = made.repeatable ?? { since: new Date().toISOString(), of };
    const begun = mayRepeat ? { ...made, repeatable } : made;
    const kept = Object.keys(begun).length === 0 ? null : { ...begun, ...spoken };
    state = kept ?? {};
    // The server hears of the call only when a later process knows that.
    if (JSON.stringify(kept) !== JSON.stringify(known)) {
      known = kept;
      yield { state: kept };
    }
    const onAlive = () => {
      losses = 0;
    };
    const outcome = yield* call.make(connection, next, {
      era,
      passed,
      state: () => ({ ...state, ...spoken }),
      onState: (later) => {
        state = later;
        known = later;
        onAlive();
      },
      onAlive,
    });
    if (!(outcome instanceof ConnectionLost)) return outcome;
    signal.throwIfAborted();
    if (outcome.notSent && next.kind === "begin") state = { ...state, ...spoken, waits: true };
    lost = `${outcome.message.replace(/\.?$/, ".")} `;
    // No server is needed to know that nothing can be continued.
    if (Object.keys(state).length === 0)
      return unknownOutcome(name, { why: `${lost}${serverLost}`, reached: call.reached });
    losses += 1;
  }
}

/** What passes to a client that waits for the call, by the capability that it needs. */
const clientRequests: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};
const canOpenUrls: JsonObject = { elicitation: { url: {} } };

const cannotOpen =
  "The server sends its user to a URL, and no client of this call can open one (elicitation, mode url). Call it from a client that can.";

/** Hears how far one request of a call comes, and what is kept of that. */
interface MakeListener {
  readonly era: Era;
  readonly passed: CallerHeaders;
  readonly state: () => CallState;
  readonly onState: (state: CallState) => void;
  /** The server works on it: those before were not lost one after the other. */
  readonly onAlive: () => void;
}

class OneCall {
  readonly #parts: CallParts;
  readonly #input: JsonObject;
  readonly #task: Task;
  readonly #questions: Questions;
  /** Clients whose user was sent to open something, by what the server calls that. */
  readonly #opening = new Map<unknown, UpstreamClient>();
  #said = "";
  #made: number;

  constructor(parts: CallParts, input: JsonObject, task: Task) {
    this.#parts = parts;
    this.#input = input;
    this.#task = task;
    this.#made = task.attempt - 1;
    this.#questions = new Questions(task);
  }

  /** What the server reported last, for people. */
  get reached(): string {
    return this.#said;
  }

  /** Makes the call once. Gives the server's answer, or why it has none. */
  async *make(
    connection: Connection,
    next: NextCall,
    { era, passed, state, onState, onAlive }: MakeListener,
  ): AsyncGenerator<Checkpoint<CallState | null, Json>, UpstreamResponse | ConnectionLost, void> {
    this.#made += 1;
    this.#questions.startAgain();
    const events = new CallEvents((problem) =>
      this.#task.log("warning", `A checkpoint of the server was ignored: ${problem}.`),
    );
    const left = new AbortController();
    const release = connection.hold();
    const signal = AbortSignal.any([this.#task.signal, left.signal]);
    const answered = makeCall({
      ...{ connection, next, events, onAlive, era, made: this.#made, stop: this.#task.signal },
      ...{ entry: this.#parts.entry, name: this.#parts.name, input: this.#input, call: this.#openCall(events) },
      options: { signal, passed, onProgress: (reported) => events.report(reported) },
      reached: () => this.reached,
    });
    answered.catch(() => {});
    try {
      let over = false;
      const ended = answered.then(
        () => {
          over = true;
        },
        () => {
          over = true;
        },
      );
      for (;;) {
        await events.next(ended);
        if (events.isFull) return tooMuchAppended(String(this.#parts.entry.name));
        const step = events.take(state());
        if (step !== undefined) {
          this.#note(step);
          if (step.state !== undefined) onState(step.state);
          yield step;
          events.noteCommitted();
        } else if (over) break;
      }
      return kept(this.#parts.name, await this.#finished(await answered, next));
    } catch (error) {
      if (error instanceof ConnectionLost && !this.#task.signal.aborted) return error;
      throw error;
    } finally {
      events.noteOver();
      left.abort();
      release();
    }
  }

  #note({ progress, total, message }: Checkpoint<CallState, Json>): void {
    if (progress === undefined) return;
    this.#said = `${progress}${total === undefined ? "" : ` of ${total}`}${message === undefined ? "" : `, ${message}`}`;
  }

  #openCall(events: CallEvents): OpenCall {
    return {
      owner: this.#task.owner,
      ask: async (method, params, signal, place) => {
        const isQuestion = method === "elicitation/create";
        if (isQuestion && params.mode !== "url") return this.#questions.answer(params, place);
        const capability = Object.hasOwn(clientRequests, method) ? clientRequests[method] : undefined;
        const needed = isQuestion ? canOpenUrls : capability === undefined ? undefined : { [capability]: {} };
        const client = needed && this.#parts.client(this.#task.id, needed);
        if (isQuestion && client !== undefined) this.#noteOpening(params.elicitationId, client);
        if (client !== undefined) return client.request(method, params, signal, place?.key);
        const message = isQuestion ? cannotOpen : `No client of this call can answer ${method}.`;
        // Source: MCP 2026-07-28, Basic, "Capability Negotiation".
        if (place !== undefined && needed !== undefined)
          return { error: { code: rpcCodes.missingCapability, message, data: { requiredCapabilities: needed } } };
        // Source: MCP 2025-11-25, Elicitation, "Error Handling".
        return { error: { code: isQuestion ? rpcCodes.invalidParams : rpcCodes.methodNotFound, message } };
      },
      opened: (params) => {
        const client = this.#opening.get(params.elicitationId);
        client?.notify?.("notifications/elicitation/complete", params);
        return client !== undefined;
      },
      committed: () => events.committed(),
      log: ({ level, data = null }) => {
        this.#task.log(isLogLevel(level) ? level : "info", shortened(data));
        events.flush();
      },
    };
  }

  #noteOpening(id: unknown, client: UpstreamClient): void {
    this.#opening.set(id, client);
    const [oldest] = this.#opening.keys();
    if (this.#opening.size > wrapLimits.maxOpening) this.#opening.delete(oldest);
  }

  /** What earlier servers appended comes first; a result that was worked for twice says so. */
  async #finished(response: UpstreamResponse, next: NextCall): Promise<UpstreamResponse> {
    if (!("result" in response)) return response;
    const { result } = response;
    const appended: Json[] = [];
    for await (const item of this.#task.items()) appended.push(item);
    if (appended.length === 0 && next.kind !== "repeat") return response;
    const own = Array.isArray(result.content) ? result.content : [];
    if (next.kind !== "repeat") return { result: { ...result, content: [...appended, ...own] } };
    const text = "This call was interrupted while its server carried it out, or before that, and was made again.";
    const sentence = { type: "text", text, annotations: { audience: ["assistant"] } };
    const _meta = { ...Object(result._meta), [metaKeys.repeated]: true };
    return { result: { ...result, content: [...appended, ...own, sentence], _meta } };
  }
}

/** A task's log takes no more of a message. */
function shortened(data: Json): Json {
  const text = JSON.stringify(data);
  return text.length > wrapLimits.maxLogLength ? `${text.slice(0, wrapLimits.maxLogLength)}…` : data;
}

/** What a server says of one of its tools, if it has it, and which version of it does. */
function identityOf({ name, version }: ServerFacts, listed: JsonObject | undefined): string {
  return JSON.stringify([name, version, ...(listed === undefined ? [] : [listed.annotations ?? null])]);
}
