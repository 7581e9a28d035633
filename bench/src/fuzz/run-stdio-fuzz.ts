import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "@resumable-mcp/core";
import { programOf } from "../measures/stdio-start.js";
import {
  drawLarge,
  drawMutations,
  isLarge,
  type Level,
  mutateProtocol,
  randomFor,
  writeMessage,
} from "./draw-message.js";
import { type Finding, type FuzzOptions, type FuzzReport, maxFindings } from "./fuzz-report.js";
import { mutateBytes } from "./http-draft.js";
import { judgeText, methodOf } from "./judge-answer.js";
import { checkStore, isComplaint } from "./server-under-test.js";
import { type HostLine, StdioLedger } from "./stdio-ledger.js";
import type { Said } from "./traffic/draw-call.js";
import { type Caller, createCaller } from "./traffic/pools.js";
import { drawMessage2025, initialize2025, request2025 } from "./traffic/traffic-2025.js";
import { draw2026, request2026 } from "./traffic/traffic-2026.js";

/** A run over stdio. */
interface StdioFuzzOptions extends FuzzOptions {
  readonly supervised: boolean;
}

const levels: readonly [Level, ...Level[]] = ["protocol", "protocol", "json", "json", "json", "json", "json", "bytes"];
const drainLimitMs = 60_000;
/** Requests without an answer, before the next line waits a little. */
const maxUnanswered = 100;
const [pauseMs, maxPauses] = [10, 20];

/** Writes lines to a server in a process of its own, right ones and mutated ones, and judges what comes back. */
export async function fuzzStdio(options: StdioFuzzOptions): Promise<FuzzReport> {
  const store = join(options.directory, "store");
  const flags = ["--store", store, ...(options.supervised ? [] : ["--no-supervise"])];
  const child = spawn(process.execPath, [programOf("server-stdio", "cli.cjs"), options.toolsModule, ...flags], {
    env: { ...process.env, RESUMABLE_MCP_STORE_DURABILITY: "process" },
  });
  const host = new FuzzHost(child, options.seed);
  try {
    const sent = await writeAll(host, options);
    await host.drain();
    child.stdin.end();
    const kill = setTimeout(() => child.kill("SIGKILL"), drainLimitMs);
    await host.closed;
    clearTimeout(kill);
    if (child.exitCode !== 0)
      host.find(`at the end of its input the server ended with ${child.signalCode ?? child.exitCode}`);
    const damage = await checkStore(store);
    if (damage !== undefined) host.find(damage);
    return { sent, outcomes: host.outcomes, findings: host.findings, peakMiB: 0 };
  } finally {
    child.kill("SIGKILL");
  }
}

async function writeAll(host: FuzzHost, { messages, only, keeps, onProgress }: StdioFuzzOptions): Promise<number> {
  await host.introduce();
  const all = only ?? Array.from({ length: messages }, (_, index) => index);
  let sent = 0;
  for (const index of all) {
    if (host.findings.length >= maxFindings || host.ended) break;
    await host.write(index, host.draw(index, keeps));
    sent += 1;
    onProgress?.(sent);
  }
  return sent;
}

/** A host that writes what it likes. */
class FuzzHost {
  readonly closed: Promise<unknown>;
  readonly findings: Finding[] = [];
  readonly outcomes = new Map<string, number>();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #seed: number;
  readonly #caller: Caller = createCaller(0, undefined);
  readonly #ledger = new StdioLedger();
  readonly #last: Said[] = [];
  #heard = "";

  constructor(child: ChildProcessWithoutNullStreams, seed: number) {
    this.#child = child;
    this.#seed = seed;
    this.closed = once(child, "close");
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => this.#hear(line));
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (isComplaint(line) || line.includes("The server died")) this.find(`the log says: ${line.slice(0, 1_000)}`);
    });
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  find(what: string, line?: HostLine): void {
    this.findings.push({ what, ...(line && { line }) });
  }

  /** Opens the connection, and lets the server know something of each kind. */
  async introduce(): Promise<void> {
    const caller = this.#caller;
    const label = `${caller.canary}first`;
    const firsts = [
      initialize2025({ caller, id: "open" }).message,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      request2025("", "first", "tools/call", { name: "note", arguments: { label } }).message,
      request2026(
        { caller, id: "second" },
        "tools/call",
        { name: "question", arguments: { label } },
        { elicitation: {} },
      ).message,
    ];
    for (const message of firsts) await this.write(-1, Buffer.from(JSON.stringify(message)));
    await this.#until(() => this.#ledger.missing.length === 0);
  }

  draw(index: number, keeps: (place: number) => boolean = () => true): Buffer {
    const random = randomFor(this.#seed, index, 1);
    const caller = this.#caller;
    const mutations = (isLarge(index) ? [] : drawMutations(randomFor(this.#seed, index, 0), levels)).filter(
      (_, place) => keeps(place),
    );
    const randoms = (level: Level) =>
      mutations.filter((one) => one.level === level).map(({ part }) => randomFor(this.#seed, index, part));
    const scene = { random, caller, known: caller.known, id: random.next() < 0.3 ? `m-${index}` : index };
    const right = (): Said => {
      if (isLarge(index)) return request2026(scene, "tools/call", drawLarge(random, caller.canary));
      return random.next() < 0.6 ? { method: "POST", headers: [], message: drawMessage2025(scene) } : draw2026(scene);
    };
    const drawn = right();
    const said = randoms("protocol").reduce(
      (one, own) => mutateProtocol(one, own, { caller, other: caller, last: this.#last }),
      drawn,
    );
    this.#last[0] = drawn;
    const text = writeMessage(said.message ?? {}, randoms("json"));
    return randoms("bytes").reduce<Buffer>((bytes, own) => mutateBytes(bytes, own), Buffer.from(text));
  }

  /** Writes a line, which may be several by now, and gives the server time when many answers are missing. */
  async write(index: number, bytes: Buffer): Promise<void> {
    for (const line of linesOf(bytes)) this.#note({ index, text: line });
    if (!this.#child.stdin.write(Buffer.concat([bytes, Buffer.from("\n")])))
      await Promise.race([once(this.#child.stdin, "drain").catch(() => {}), this.closed]);
    for (let pauses = 0; this.#ledger.missing.length > maxUnanswered && pauses < maxPauses; pauses += 1)
      await pause(pauseMs);
  }

  /** Ends all tasks, after which each request must have its answer; then works as a right host. */
  async drain(): Promise<void> {
    for (let round = 0; round < maxRounds && !this.ended; round += 1) {
      const ids = this.#unfinishedIn(
        await this.#ask(`list-${round}`, { name: "list_session_tasks", arguments: { limit: 200 } }),
      );
      if (ids.length === 0) break;
      for (const task_id of ids)
        await this.#ask(`cancel-${task_id}-${round}`, { name: "cancel_task", arguments: { task_id } });
    }
    await this.#until(() => this.#ledger.missing.length === 0);
    for (const line of this.#ledger.missing.slice(0, maxFindings))
      this.find("there is no answer after all tasks have ended", line);
    const label = `${this.#caller.canary}afterwards`;
    const answer = await this.#ask("afterwards", { name: "note", arguments: { label } });
    if (!answer.includes(`"structuredContent":{"label":"${label}"}`))
      this.find(`a right host gets ${answer.slice(0, 300)}`);
  }

  #unfinishedIn(answer: string): readonly string[] {
    return [...answer.matchAll(/"task_id":"([\w-]{22})"[^{}]*?"status":"(\w+)"/g)].flatMap(
      ([, id = "", status = ""]) => (["completed", "failed", "cancelled"].includes(status) ? [] : [id]),
    );
  }

  /** Calls a tool as a right host, and gives its answer. */
  async #ask(id: string, params: JsonObject): Promise<string> {
    const message = request2026({ caller: this.#caller, id }, "tools/call", params, {}).message;
    await this.write(-1, Buffer.from(JSON.stringify(message)));
    await this.#until(() => this.#ledger.missing.every(({ text }) => !text.includes(`"id":"${id}"`)));
    return this.#heard.split("\n").findLast((line) => line.includes(`"id":"${id}"`)) ?? "";
  }

  async #until(isTrue: () => boolean): Promise<void> {
    const end = performance.now() + drainLimitMs;
    while (!isTrue() && !this.ended && performance.now() < end) await pause(pauseMs);
  }

  #note(line: HostLine): void {
    this.#ledger.wrote(line);
    const message = messageIn(line.text);
    if (message === undefined) return;
    if (methodOf(line.text) === "notifications/cancelled") this.#ledger.mayStayOpen(message.params?.requestId);
    if (methodOf(line.text) === "subscriptions/listen") this.#ledger.mayStayOpen(message.id);
    if (typeof message.id === "string" || typeof message.id === "number") this.#caller.known.requestIds.add(message.id);
  }

  #hear(line: string): void {
    const message = messageIn(line);
    if (message === undefined) this.find(`the server wrote what is not a message: ${line.slice(0, 300)}`);
    else this.#heardMessage(message, line);
  }

  #heardMessage(message: AnyMessage, line: string): void {
    this.#caller.known.learn(line, undefined, undefined);
    this.#heard = `${this.#heard.slice(-keptCharacters)}\n${line.slice(0, keptCharacters)}`;
    const isAnswer = message.method === undefined;
    const kind = isAnswer ? (message.error === undefined ? "results" : "errors") : "messages of the server";
    this.outcomes.set(kind, (this.outcomes.get(kind) ?? 0) + 1);
    const wrong = [isAnswer ? this.#ledger.heard(message.id) : undefined, judgeText(line, "")];
    for (const what of wrong) if (what !== undefined) this.find(what);
  }
}

const maxRounds = 20;
const keptCharacters = 200_000;

interface AnyMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
  readonly error?: unknown;
}

function messageIn(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "jsonrpc" in value ? (value as AnyMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** The lines that a server reads in some bytes and the end of a line. */
function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
