import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { decodeFailure } from "@resumable-mcp/protocol";
import type { Note } from "../../kills/storm-history.js";
import { Backoff, connectSession, type StockSession } from "./stock-session.js";

const meta = (key: string): string => `resumable-mcp/${key}`;

/** Follows a task by one wait after another. */
export interface Follow {
  /** Waits once, and notes the progress that is shown. */
  wait(): Promise<CallToolResult>;
  /** The progress that was shown last. */
  shown(): number;
}

/** Follows a task by `wait_for_task`: each wait begins after the last event that was seen. */
export function followWait(link: Link, taskId: string, note: Note): Follow {
  let [before, afterSeq, isFirst] = [0, 0, true];
  return {
    wait: () =>
      link.call(
        "wait_for_task",
        { task_id: taskId, timeout_seconds: 5 },
        () => {
          isFirst = true;
          return { [meta("after_seq")]: afterSeq };
        },
        ({ progress, seq, snapshot }) => {
          note("mcp_progress", { progress, before, seq, snapshot, isFirst });
          [before, afterSeq, isFirst] = [progress, seq, false];
        },
      ),
    shown: () => before,
  };
}

interface Shown {
  readonly progress: number;
  readonly seq: number;
  readonly snapshot: boolean;
}

/** A client that repeats each call until a server answers it. */
export interface Link {
  /** Makes a call that becomes a task at once; resolves to its id. */
  start(name: string, input: Record<string, unknown>): Promise<string>;
  call(
    name: string,
    input: Record<string, unknown>,
    meta?: Record<string, unknown> | (() => Record<string, unknown>),
    onProgress?: (shown: Shown) => void,
  ): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** What a link is made of. */
interface LinkOptions {
  /** Of whatever server lives just now. */
  readonly url: () => URL;
  readonly clientId: string;
  /** Aborts when no answer is needed any more. */
  readonly signal: AbortSignal;
}

/** Servers come back within seconds. */
const longestPauseMs = 1_600;

/** Each break of a stream is a new request behind the last seq that was seen. */
const neverReconnect = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
};

/** Repeats each call until a server answers it: all of them may be repeated. */
export function createLink({ url, clientId, signal }: LinkOptions): Link {
  let session: Promise<StockSession> | undefined;
  const open = () =>
    connectSession(new Client({ name: "storm", version: "1" }), { url: url(), reconnectionOptions: neverReconnect });
  const drop = async (used = session): Promise<void> => {
    if (session === used) session = undefined;
    await used?.then(({ end }) => end()).catch(() => {});
  };
  /** Tries until a server has answered. */
  const untilAnswered = async <Value>(work: (present: Client) => Promise<Value>): Promise<Value> => {
    for (const backoff = new Backoff(50, longestPauseMs); ; ) {
      signal.throwIfAborted();
      // Calls at once share a session, also while it is opened.
      session ??= open();
      const used = session;
      try {
        return await work((await used).client);
      } catch (error) {
        if (isAnswer(error)) throw error;
        await drop(used);
        await backoff.pause();
      }
    }
  };
  const call: Link["call"] = async (name, input, extra = {}, onProgress) => {
    for (;;) {
      const answer = await untilAnswered((present) => {
        const given = typeof extra === "function" ? extra() : extra;
        return callOnce(present, name, input, { [meta("client_id")]: clientId, ...given }, onProgress);
      });
      const code = decodeFailure(answer.structuredContent)?.code ?? "";
      // A server that stops says so, and its client goes to the next; a store may be away for a while.
      if (!/^(DRAINING|STORE_(READ|WRITE)_FAILED)$/.test(code)) return answer;
      await pause(100);
    }
  };
  return {
    call,
    async start(name, input) {
      const started = await call(name, input, { [meta("handoff")]: 0 });
      // A start whose answer was lost and that is repeated may find its task finished: then its result comes at once.
      const taskId = started._meta?.[meta("task_id")] ?? field(started, "task_id");
      if (typeof taskId !== "string") throw new Error(`No task for ${name}: ${JSON.stringify(started)}`);
      return taskId;
    },
    close: () => drop(),
  };
}

async function callOnce(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  _meta: Record<string, unknown>,
  onProgress: ((shown: Shown) => void) | undefined,
): Promise<CallToolResult> {
  const broken = new Promise<never>((_resolve, reject) => {
    client.onerror = reject;
    client.onclose = () => reject(new Error("closed"));
  });
  broken.catch(() => {});
  const answered = client.callTool({ name, arguments: input, _meta }, undefined, {
    timeout: 8_000,
    onprogress:
      onProgress &&
      ((shown) => {
        const facts = Object(Reflect.get(shown, "_meta"));
        const isSnapshot = Reflect.get(facts, meta("snapshot")) === true;
        onProgress({ progress: shown.progress, seq: Number(Reflect.get(facts, meta("seq"))), snapshot: isSnapshot });
      }),
  });
  answered.catch(() => {});
  return (await Promise.race([answered, broken])) as CallToolResult;
}

/** A JSON-RPC error about the request itself is an answer; repeating it would not help. */
function isAnswer(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === -32602;
}

/** Notes what is not in its place. @returns how many items there are. */
export async function readItems(link: Link, taskId: string, note: Note): Promise<number> {
  for (let place = 0; ; ) {
    const page = await link.call("get_task_items", { task_id: taskId, after: place, limit: 1_000 });
    const found = field(page, "items");
    if (!Array.isArray(found)) throw new Error(`No items of ${taskId}: ${JSON.stringify(page)}`);
    for (const item of found) {
      if (item !== place) note("item_read", { place, item: JSON.stringify(item) });
      place += 1;
    }
    if (found.length === 0 || place >= Number(field(page, "total"))) return place;
  }
}

function field(result: CallToolResult, name: string): unknown {
  return result.structuredContent?.[name];
}
