import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { programOf } from "../measures/stdio-start.js";

/** A server program that is fuzzed. */
export interface ServerUnderTest {
  readonly port: number;
  readonly path: string;
  /** How it ended, if it has. */
  readonly ended: () => string | undefined;
  /** What it wrote to stderr that a server never writes, whatever it is sent. */
  readonly complaints: readonly string[];
  /** The most memory that it has had, in MiB; 0 where the machine does not say. */
  peakMiB(): Promise<number>;
  /** Asks it to end, and tells what is wrong with how it does. */
  stop(): Promise<string | undefined>;
  kill(): Promise<void>;
}

/** Of the server's own memory, in MiB: a server that keeps what it is sent ends here. */
const maxHeapMiB = 640;
const stopLimitMs = 60_000;

/** Starts `resumable-mcp-http` with the given arguments, and waits until it listens. */
export async function startHttpServer(args: readonly string[]): Promise<ServerUnderTest> {
  const program = [`--max-old-space-size=${maxHeapMiB}`, programOf("server-http", "cli.js"), ...args, "--port", "0"];
  const env = { ...process.env, RESUMABLE_MCP_STORE_DURABILITY: "process" };
  const child = spawn(process.execPath, program, { env, stdio: ["ignore", "ignore", "pipe"] });
  const closed = once(child, "close");
  const complaints: string[] = [];
  let ending: string | undefined;
  child.once("exit", (code, signal) => {
    ending = `the server ended: ${signal ?? `exit code ${code}`}`;
  });
  const stop = async (): Promise<string | undefined> => {
    if (ending !== undefined) return ending;
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
    await closed;
    clearTimeout(kill);
    return child.exitCode === 0 ? undefined : ending;
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  const url = await new Promise<URL>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const listening = /^listening on (\S+)$/.exec(line)?.[1];
      if (listening !== undefined) resolve(new URL(listening));
      if (isComplaint(line) && complaints.length < maxComplaints) complaints.push(line.slice(0, 1_000));
    });
    child.once("close", () => reject(new Error("The server ended before it listened.")));
  });
  return {
    ...{ port: Number(url.port), path: url.pathname, complaints, stop, kill },
    ended: () => ending,
    peakMiB: () => peakOf(child.pid),
  };
}

const maxComplaints = 20;

/** Whether a line of a log says that something was not foreseen. That a tool of the fuzzer throws a long `TypeError` is. */
export function isComplaint(line: string): boolean {
  const unforeseen = /unhandled rejection|uncaught exception|(Type|Reference|Range|Syntax)Error:/i;
  return unforeseen.test(line.replace(/TypeError: x{100,}/, ""));
}

/** The most memory that a process has had, in MiB. Source: proc(5). */
export async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
}

/** Reads a store as its operator does, and tells what is wrong with it. */
export function checkStore(directory: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const args = [programOf("command-line", "store/cli.js"), "check", "--store", directory];
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `the store is damaged: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`),
    );
  });
}
