import { type ChildProcess, spawn } from "node:child_process";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { readLines } from "@resumable-mcp/mcp/stdio";
import { parseJson, problemOfJson, rpcCodes } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import type { OpenWire, Wire, WireListener } from "./peer.js";

/** A server that is started as a process. */
export interface ServerCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/**
 * Becomes the server, in a process group of its own, next to a shell that waits for the end of this process: fd 3 then closes, however
 * it died, and the whole group ends. Windows has neither: there the server has to end when its input ends.
 */
const guard = `(trap '' TERM INT HUP; read _ <&3; kill -TERM 0; sleep ${wrapLimits.stopMs / 1_000}; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** Where an answer names its request: SDKs write that first or last. */
const idFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"/;
const idLast = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Starts a server, and talks to it over its standard input and output. Its standard error is that of this process. */
export function startProcess(server: ServerCommand, onNote: (sentence: string) => void): OpenWire {
  return (listener) => new ProcessWire(server, listener, onNote);
}

class ProcessWire implements Wire {
  readonly hasSession = true;
  readonly #child: ChildProcess;
  readonly #listener: WireListener;
  readonly #onNote: (sentence: string) => void;
  readonly #ended: Promise<void>;
  #why: string | undefined;
  #cannotStart = false;
  #notedGarbage = false;

  constructor({ command, args = [], env, cwd }: ServerCommand, listener: WireListener, onNote: (text: string) => void) {
    this.#listener = listener;
    this.#onNote = onNote;
    const words = [command === "node" ? process.execPath : command, ...args];
    const isGuarded = process.platform !== "win32";
    const [program = "", ...rest] = isGuarded ? ["/bin/sh", "-c", guard, "sh", ...words] : words;
    // What is set for this toolkit, such as credentials, is not for the server.
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith("RESUMABLE_MCP_"));
    const child = spawn(program, rest, {
      cwd,
      env: { ...Object.fromEntries(inherited), ...env },
      detached: isGuarded,
      stdio: ["pipe", "pipe", "inherit", "pipe"],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.on("error", (error) => {
        this.#cannotStart = true;
        this.#why ??= `The server could not be started: ${error.message}.`;
        resolve();
      });
      child.on("exit", (code, signal) => {
        // As a shell says it.
        this.#cannotStart = code === 127 && isGuarded;
        this.#why ??= this.#cannotStart
          ? `The program ${command} was not found. Check the command, and that the program is installed.`
          : `The server ended (${signal ?? `exit code ${code}`}).`;
        // What it started, and the shell next to it.
        this.#signal("SIGKILL");
        resolve();
      });
    });
    child.stdin?.on("error", () => {});
    child.stdio[3]?.on("error", () => {});
    void this.#read();
  }

  send(message: JsonObject): void {
    // A server that does not read fills this process's memory no further than its calls do, which have a limit.
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsWithin(wrapLimits.stopMs)) return;
      this.#signal(signal);
    }
    await this.#ended;
  }

  async #read(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout !== null)
      await readLines(
        stdout,
        wrapLimits.maxLineBytes,
        async (line) => this.#take(line),
        (begin, end) => this.#refuse(begin, end),
      ).catch((error: unknown) => {
        this.#why ??= `The server was stopped: ${error instanceof Error ? error.message : String(error)}`;
        this.#signal("SIGKILL");
      });
    // A server that closes its output answers no more.
    if (this.#child.exitCode === null && this.#child.signalCode === null) void this.close();
    await this.#ended;
    this.#listener.closed(this.#why ?? "The server ended.", this.#cannotStart);
  }

  #take(line: string): void {
    const message: unknown = parseJson(line);
    const problem = isJsonObject(message) ? problemOfJson(line) : "is not a message";
    if (isJsonObject(message) && problem === undefined) this.#hear(message);
    else {
      if (!this.#notedGarbage) this.#onNote(`The server wrote a line that ${problem}: ${line.slice(0, 200)}`);
      this.#notedGarbage = true;
    }
  }

  /** Of an answer that is too long: its request ends with an error. False where it is not known which that is. */
  #refuse(begin: string, end: string): boolean {
    const [, id] = idFirst.exec(begin) ?? idLast.exec(end) ?? [];
    const message = `The server's answer is longer than maxLineBytes = ${wrapLimits.maxLineBytes}, and was not read. Ask for less.`;
    if (id !== undefined) this.#hear({ jsonrpc: "2.0", id: Number(id), error: { code: rpcCodes.refused, message } });
    return id !== undefined;
  }

  /** What is wrong with one message ends nothing else. */
  #hear(message: JsonObject): void {
    try {
      this.#listener.message(message);
    } catch (error) {
      this.#onNote(
        `A message of the server could not be taken: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #endsWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), ms);
      void this.#ended.then(() => {
        clearTimeout(late);
        resolve(true);
      });
    });
  }

  /** Its whole group, where it has one. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(process.platform === "win32" ? pid : -pid, signal);
    } catch {
      // It has ended.
    }
  }
}
