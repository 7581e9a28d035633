import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Scope } from "../report/measure.js";

/** What some processes have used until now. */
export interface Usage {
  readonly processorMs: number;
  readonly residentMiB: number;
  /** The sum of what each had at most. */
  readonly peakMiB: number;
}

/** A program that serves over stdio, as a client of the 2025 era sees it. */
export interface StdioServer {
  readonly pid: number;
  /** Calls a tool, and resolves when its result has come. */
  call(name: string): Promise<void>;
  /** Of its processes, without that of the server which it wraps. Reads `/proc`. */
  usage(): Usage;
  stop(): Promise<unknown>;
}

const clientInfo = { name: "bench", version: "1.0.0" };

/** Starts a server, and resolves when it is initialized. */
export async function startStdio(scope: Scope, words: readonly string[], env = process.env): Promise<StdioServer> {
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "ignore"], env });
  const pid = Number(child.pid);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  scope.onEnd(stop);
  child.stdin.on("error", () => {});
  const waiting = new Map<number, (line: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => waiting.get(JSON.parse(line).id)?.(line));
  let lastId = 0;
  const request = async (method: string, params: object): Promise<void> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<string>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const line = await Promise.race([answered, ended.then(() => "its end")]);
    waiting.delete(id);
    if (!line.includes('"result"') || line.includes('"isError"')) throw new Error(`No result but ${line}`);
  };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    pid,
    // No call is like another: one that is, joins the task of the other.
    call: (name) => request("tools/call", { name, arguments: { text: `hello ${lastId}` } }),
    usage: () => sum(processesOf(pid, words.slice(words.indexOf("--") + 1).at(-1)).map(usageOf)),
    stop,
  };
}

/** A process and those that it started; but for the program that is not to count, where another one has started that. */
function processesOf(pid: number, without = "", isFirst = true): readonly number[] {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  if (!isFirst && words[1] === without) return [];
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...started.flatMap((child) => processesOf(Number(child), without, false))];
}

/** Source: proc(5). A tick is 10 ms. */
function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  return { processorMs: (user + system) * 10, residentMiB: mib("VmRSS"), peakMiB: mib("VmHWM") };
}

function sum(usages: readonly Usage[]): Usage {
  const total = (field: keyof Usage) => usages.reduce((all, usage) => all + usage[field], 0);
  return { processorMs: total("processorMs"), residentMiB: total("residentMiB"), peakMiB: total("peakMiB") };
}
