import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { readLines } from "@resumable-mcp/mcp/stdio";
import type { SupervisorLimits } from "../limits.js";
import { parseLine, readHostLine } from "../wire/json-rpc.js";
import { Relay, type Sent } from "./relay.js";

/** What is supervised, and for whom. */
export interface SuperviseOptions {
  /** The program of the server and its arguments; run without a shell. */
  readonly command: readonly [string, ...string[]];
  readonly input: Readable;
  readonly output: Writable;
  readonly limits: SupervisorLimits;
  readonly log: (message: string) => void;
  /** The exit code by which the server says that no other process of it can start either. */
  readonly cannotStartCode?: number;
}

/**
 * How supervising ended: the host disconnected, the server does not stay alive, or it cannot start: it ended without a
 * message and with an exit code of an error, or with the one that says so.
 */
export type Supervised =
  | { readonly kind: "host_gone" | "gave_up" }
  | { readonly kind: "cannot_start"; readonly exitCode: number };

/**
 * Runs a server as a child process and stays alive for its host when the child dies: the next child receives all that
 * the one before knew, and continues the calls in flight.
 *
 * Nothing but messages goes to `output`; the child's stderr is passed on as it is.
 */
export function supervise(options: SuperviseOptions): { readonly ended: Promise<Supervised>; stop(): void } {
  return new Supervisor(options);
}

class Supervisor {
  readonly ended: Promise<Supervised>;
  readonly #options: SuperviseOptions;
  readonly #relay: Relay;
  readonly #deathsMs: number[] = [];
  #child: ServerProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #toolsLate: NodeJS.Timeout | undefined;
  #stopping = false;
  /** Some server process has sent a message. */
  #spoke = false;
  #end: (how: Supervised) => void = () => {};

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#relay = new Relay(options.limits);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    // Before all else: it takes longer to start than everything here.
    this.#start();
    const { input, output, limits } = options;
    // A host that disconnects breaks the pipe, or ends our stdin.
    output.on("error", () => this.stop());
    readLines(input, limits.maxLineBytes, (line) => this.#fromHost(line)).then(
      () => this.stop(),
      (error: unknown) => {
        options.log(String(error));
        this.stop();
      },
    );
  }

  /** The host has disconnected: the server may work up to its next checkpoint. */
  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined) {
      this.#end({ kind: "host_gone" });
      return;
    }
    const { drainTimeoutMs, killAfterMs } = this.#options.limits;
    child.stdin?.end();
    const term = setTimeout(() => child.kill("SIGTERM"), drainTimeoutMs);
    const kill = setTimeout(() => child.kill("SIGKILL"), drainTimeoutMs + killAfterMs);
    child.once("close", () => {
      clearTimeout(term);
      clearTimeout(kill);
    });
  }

  #start(): void {
    const [program, ...args] = this.#options.command;
    const child = startServer(program, args);
    this.#child = child;
    child.on("error", (error) => this.#options.log(`The server could not be started: ${error.message}`));
    // What the dead server had written may still have to be read: "close" comes after that, "exit" before.
    child.on("close", (code, signal) => this.#lost(code, signal));
    child.once("exit", () => this.#endOutput(child));
    child.stdin.on("error", () => {});
    const lines = readLines(child.stdout, this.#options.limits.maxLineBytes, (line) => this.#fromServer(line));
    lines.catch((error: unknown) => {
      if (child.stdout.destroyed && (child.exitCode ?? child.signalCode) !== null) return;
      this.#options.log(String(error));
      child.kill("SIGKILL");
    });
    void this.#send(this.#relay.serverStarted(), "host");
  }

  /** What it had written is read to its end; what a process that it left behind may write belongs to no server. */
  #endOutput({ stdout }: ServerProcess): void {
    if (stdout.closed) return;
    const look = setInterval(() => {
      if (stdout.readableLength === 0) stdout.destroy();
    }, this.#options.limits.lastWordsMs);
    stdout.once("close", () => clearInterval(look));
  }

  #lost(exitCode: number | null, signal: NodeJS.Signals | null): void {
    this.#child = undefined;
    this.#relay.serverLost();
    const isHopeless = !this.#spoke || exitCode === this.#options.cannotStartCode;
    if (isHopeless && exitCode !== null && exitCode !== 0) {
      this.#giveUp({ kind: "cannot_start", exitCode });
      return;
    }
    if (this.#stopping) {
      this.#end({ kind: "host_gone" });
      return;
    }
    const { limits, log } = this.#options;
    const now = performance.now();
    this.#deathsMs.push(now);
    this.#deathsMs.splice(0, Math.max(0, this.#deathsMs.length - limits.maxCrashes - 1));
    const how = signal ?? `exit code ${exitCode}`;
    const delayMs = restartDelay(this.#deathsMs, now, limits);
    if (delayMs === undefined) {
      log(
        `The server died ${limits.maxCrashes + 1} times within ${limits.crashWindowMs / 1000} s (${how}). Giving up.`,
      );
      this.#giveUp({ kind: "gave_up" });
      return;
    }
    const { pendingCount } = this.#relay;
    const inFlight = `${pendingCount} ${pendingCount === 1 ? "request" : "requests"} in flight`;
    log(`The server died (${how}); starting it again with ${inFlight}.`);
    this.#restart = setTimeout(() => this.#start(), delayMs);
  }

  #giveUp(how: Supervised): void {
    this.#stopping = true;
    const why =
      how.kind === "cannot_start"
        ? "The server cannot start, so the supervisor does not start it again."
        : "The server died too often, so the supervisor does not start it again.";
    void this.#send(this.#relay.giveUp(why), "host").then(() => this.#end(how));
  }

  async #fromHost(line: string): Promise<void> {
    const read = readHostLine(line);
    if ("message" in read) {
      const sent = this.#relay.fromHost(read.message);
      this.#limitToolsWait();
      return this.#send(sent, "server");
    }
    this.#options.output.write(`${JSON.stringify(read.refusal)}\n`);
  }

  async #fromServer(line: string): Promise<void> {
    const message = parseLine(line);
    if (message === undefined)
      return this.#options.log(`The server wrote a line that is not a message: ${line.slice(0, 200)}`);
    this.#spoke = true;
    const sent = this.#relay.fromServer(message);
    this.#limitToolsWait();
    await this.#send(sent, "host");
  }

  /** A server that does not list its tools gets the calls that wait for them none the less. */
  #limitToolsWait(): void {
    if (!this.#relay.waitsForTools) {
      clearTimeout(this.#toolsLate);
      this.#toolsLate = undefined;
      return;
    }
    this.#toolsLate ??= setTimeout(() => {
      this.#toolsLate = undefined;
      void this.#send(this.#relay.toolsLate(), "server");
    }, this.#options.limits.toolListTimeoutMs).unref();
  }

  /**
   * Sends, and waits for room on one side only: waiting for the side that is being read from could block both.
   */
  async #send(sent: readonly Sent[], waitFor: Sent["to"]): Promise<void> {
    for (const { to, message, carries } of sent) {
      const stream = to === "server" ? this.#child?.stdin : this.#options.output;
      const written = (error?: Error | null) => {
        if (error == null && carries !== undefined) void this.#send(this.#relay.hostGot(carries), "host");
      };
      if (stream?.write(`${JSON.stringify(message)}\n`, written) === false && to === waitFor) await room(stream);
    }
  }
}

/** Resolves when a stream takes more, or never will. */
function room(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    // A stream that is closed takes nothing either, and will never say so again.
    if (!stream.writableNeedDrain) return resolve();
    const done = () => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
}

type RestartLimits = Pick<SupervisorLimits, "maxCrashes" | "crashWindowMs" | "restartDelayMs" | "maxRestartDelayMs">;

/**
 * Decides after a death of the server how long to wait before the next start; `undefined`: give up. Pure.
 *
 * @param deathsMs times of the deaths so far, this one included, oldest first.
 */
export function restartDelay(deathsMs: readonly number[], nowMs: number, limits: RestartLimits): number | undefined {
  const recent = deathsMs.filter((deathMs) => nowMs - deathMs <= limits.crashWindowMs).length;
  if (recent > limits.maxCrashes) return undefined;
  return Math.min(limits.restartDelayMs * 2 ** Math.max(0, recent - 1), limits.maxRestartDelayMs);
}

/** A server's process, with what it reads and writes. */
type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a server's process, whose errors go where this one's go. */
function startServer(program: string, args: readonly string[]): ServerProcess {
  // Only here: a server, which loads this file as well, starts no process.
  const { spawn } = process.getBuiltinModule("node:child_process");
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}
