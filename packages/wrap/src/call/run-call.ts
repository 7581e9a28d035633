import type { Checkpoint, Json, JsonObject, TaskContext } from "@resumable-mcp/core";
import type { UpstreamClient, UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { isLogLevel, metaKeys, rpcCodes } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import type { Connection, OpenCall, ServerFacts } from "../upstream/connection.js";
import { ConnectionLost, type RequestOptions } from "../upstream/peer.js";
import { CallEvents } from "./call-events.js";
import { resumeMeta } from "./checkpoint.js";
import { type CallState, mayRepeat, type NextCall, planCall, type RepeatRules } from "./plan.js";
import { Questions } from "./questions.js";

/** Where a call is made, and what its user allows. */
export interface CallParts {
  /** The tool, as its server lists it. */
  readonly entry: JsonObject;
  readonly rules: RepeatRules;
  /** The connection of an owner, where it is there at once. */
  live(owner: string): Connection | undefined;
  /** The same, once it is there. @throws an error that says why it is not. */
  connect(owner: string, signal: AbortSignal): Promise<Connection>;
  /** A client with this capability that waits for the call of a task. */
  client(taskId: string, capability: string): UpstreamClient | undefined;
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
  const name = String(parts.entry.name);
  const call = new OneCall(parts, input, task);
  // Where a call may be made again, that is noted before it is made: without a note it was not made.
  const isFirst = task.state === null && (task.attempt === 1 || mayRepeat(parts.entry, parts.rules));
  let state: CallState = isFirst ? { waits: true } : (task.state ?? {});
  let known: CallState | null = task.state;
  // Nothing is left to continue from: no server is needed to know that.
  if (!isFirst && Object.keys(state).length === 0)
    return unknownOutcome(name, "The process that made the call died, or the call was paused", call.reached);
  for (let losses = 0; ; ) {
    let connection = parts.live(owner);
    if (connection === undefined) {
      if (state.waits === true && known?.waits !== true) {
        known = state;
        yield { state, message: "waits for its server" };
      }
      try {
        connection = await parts.connect(owner, signal);
      } catch (error) {
        signal.throwIfAborted();
        return notMade(name, error, state);
      }
    }
    const of = identityOf(connection.facts, parts.entry);
    const next = planCall({ state, of, nowMs: Date.now(), losses });
    if (next.kind === "unknown") return unknownOutcome(name, next.why, call.reached);
    const { waits: _waits, ...made } = state;
    const repeatable = made.repeatable ?? { since: new Date().toISOString(), of };
    state = mayRepeat(parts.entry, parts.rules) ? { ...made, repeatable } : made;
    const kept = Object.keys(state).length === 0 ? null : state;
    // The server hears of the call only when a later process knows that.
    if (JSON.stringify(kept) !== JSON.stringify(known)) {
      known = kept;
      yield { state: kept };
    }
    const outcome = yield* call.make(
      connection,
      next,
      () => state,
      (later) => {
        state = later;
        known = later;
        losses = 0;
      },
    );
    if (!(outcome instanceof ConnectionLost)) return outcome;
    signal.throwIfAborted();
    if (outcome.notSent && next.kind === "begin") state = { ...state, waits: true };
    losses += 1;
  }
}

/** How one request of a call is made. */
interface CallWays {
  readonly call: OpenCall;
  readonly options: RequestOptions;
  readonly onTask: (taskId: string) => void;
}

/** What passes to a client that waits for the call, by the capability that it needs. */
const clientRequests: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** How long a server keeps a task of its own, in milliseconds. */
const taskTtlMs = 24 * 60 * 60_000;

class OneCall {
  readonly #parts: CallParts;
  readonly #input: JsonObject;
  readonly #task: Task;
  readonly #questions: Questions;
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
    state: () => CallState,
    onCheckpoint: (state: CallState) => void,
  ): AsyncGenerator<Checkpoint<CallState | null, Json>, UpstreamResponse | ConnectionLost, void> {
    this.#made += 1;
    this.#questions.startAgain();
    const events = new CallEvents((problem) =>
      this.#task.log("warning", `A checkpoint of the server was ignored: ${problem}.`),
    );
    const left = new AbortController();
    const signal = AbortSignal.any([this.#task.signal, left.signal]);
    const answered = this.#answerOf(connection, next, {
      call: this.#openCall(events),
      options: { signal, onProgress: (reported) => events.report(reported) },
      onTask: (task) => events.noteTask(task),
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
        const step = events.take(state());
        if (step !== undefined) {
          this.#note(step);
          if (step.state !== undefined) onCheckpoint(step.state);
          yield step;
          events.noteCommitted();
        } else if (over) break;
      }
      return kept(String(this.#parts.entry.name), await this.#finished(await answered, next));
    } catch (error) {
      if (error instanceof ConnectionLost && !this.#task.signal.aborted) return error;
      throw error;
    } finally {
      events.noteOver();
      left.abort();
    }
  }

  /** The answer to the call; where the server makes a task of it, that task's result. Source: MCP 2025-11-25, Tasks. */
  async #answerOf(
    connection: Connection,
    next: NextCall,
    { call, options, onTask }: CallWays,
  ): Promise<UpstreamResponse> {
    const { entry } = this.#parts;
    const ofTask = async (taskId: string): Promise<UpstreamResponse> => {
      const cancel = () => void connection.request("tasks/cancel", { taskId }).catch(() => {});
      const { signal } = this.#task;
      // A pause leaves the server at work: its task is awaited again.
      const abort = () => (Reflect.get(Object(signal.reason), "reason") === "cancel" ? cancel() : undefined);
      signal.addEventListener("abort", abort);
      try {
        return await connection.call({ method: "tasks/result", params: { taskId } }, call, options);
      } finally {
        signal.removeEventListener("abort", abort);
      }
    };
    if (next.kind === "await") {
      const response = await ofTask(next.task);
      if ("result" in response) return response;
      const why = `Its server does not know its task any longer (${response.error.message})`;
      return unknownOutcome(String(entry.name), why, this.reached);
    }
    const { execution } = entry;
    const isTask = Object(execution).taskSupport === "required";
    const params: JsonObject = {
      ...{ name: String(entry.name), arguments: this.#input },
      ...(isTask && { task: { ttl: taskTtlMs } }),
      ...(next.kind === "continue" && { _meta: resumeMeta(next.checkpoint, Math.max(2, this.#made)) }),
    };
    const response = await connection.call({ method: "tools/call", params }, call, options);
    const { taskId }: JsonObject = "result" in response ? Object(response.result.task) : {};
    if (typeof taskId !== "string") return response;
    onTask(taskId);
    return ofTask(taskId);
  }

  #note({ progress, total, message }: Checkpoint<CallState, Json>): void {
    if (progress === undefined) return;
    this.#said = `${progress}${total === undefined ? "" : ` of ${total}`}${message === undefined ? "" : `, ${message}`}`;
  }

  #openCall(events: CallEvents): OpenCall {
    return {
      owner: this.#task.owner,
      ask: async (method, params, signal) => {
        if (method === "elicitation/create") return this.#questions.answer(params);
        const capability = Object.hasOwn(clientRequests, method) ? clientRequests[method] : undefined;
        const client = capability === undefined ? undefined : this.#parts.client(this.#task.id, capability);
        if (client !== undefined) return client.request(method, params, signal);
        return { error: { code: rpcCodes.methodNotFound, message: `No client of this call can answer ${method}.` } };
      },
      committed: () => events.committed(),
      log: ({ level, data = null }) => {
        this.#task.log(isLogLevel(level) ? level : "info", shortened(data));
        events.flush();
      },
    };
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
    const text = "The server was lost while it carried out this call, and the call was made again.";
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

/** What a server says of one of its tools, and which version of it does. */
function identityOf({ name, version }: ServerFacts, { annotations = null }: JsonObject): string {
  return JSON.stringify([name, version, annotations]);
}

/** A result that is too large to keep is not kept: the call has taken effect, and must not be made again for that. */
function kept(name: string, response: UpstreamResponse): UpstreamResponse {
  const bytes = Buffer.byteLength(JSON.stringify(response));
  const { maxOutputBytes } = wrapLimits;
  if (bytes <= maxOutputBytes) return response;
  return failure(
    "LIMIT_EXCEEDED",
    `${name} has ended, but its result has ${bytes} bytes, and maxOutputBytes allows ${maxOutputBytes}. Ask it for less.`,
  );
}

/** Source: docs/errors.md. */
function failure(code: string, message: string): UpstreamResponse {
  return {
    result: {
      content: [{ type: "text", text: message }],
      structuredContent: { error: { code, message } },
      isError: true,
    },
  };
}

function unknownOutcome(name: string, why: string, reached: string): UpstreamResponse {
  const far = reached === "" ? "" : ` It had reported ${reached}.`;
  return failure(
    "OUTCOME_UNKNOWN",
    `${why}: ${name} may or may not have taken effect.${far} Check before you call it again. It was not called a second time.`,
  );
}

function notMade(name: string, error: unknown, { waits }: CallState): UpstreamResponse {
  const why = error instanceof Error ? error.message : String(error);
  const what = waits === true ? `${name} was not called.` : `${name} may or may not have taken effect.`;
  return failure(
    "UPSTREAM_AWAY",
    `The server of ${name} is not there. ${why} ${what} Call it again when the server is back.`,
  );
}
