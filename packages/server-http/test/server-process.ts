import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
/** The tools module that most tests serve. */
export const toolsModule = fileURLToPath(import.meta.resolve("@resumable-mcp/crash-tools"));

/** Does something after the test, last first. */
export function afterwards(clean: () => Promise<unknown>): void {
  onTestFinished(async () => void (await clean()));
}

/** Makes a folder for one test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "server-http-"));
  // A process that was just killed, or whose supervisor was, may still write.
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  return folder;
}

/** A running server program. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Resolves when it is dead, of whatever. */
  readonly died: Promise<unknown>;
  /** SIGKILL, and wait until it is dead. */
  kill(): Promise<void>;
  /** Lets a process go on that stops itself, once it has stopped. */
  wake(): Promise<void>;
  /** Sends a signal; gives the exit code and all that was written to stderr. */
  stop(signal: NodeJS.Signals): Promise<Ended>;
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  readonly stdout: string;
}

/** Starts the program and waits for its ready line. */
export async function startServer(
  args: readonly string[],
  env: Record<string, string> = {},
  program: string = cli,
  onLine: (line: string) => void = () => {},
): Promise<ServerProcess> {
  const { child, output, lines } = run(args, env, program);
  const died = once(child, "close");
  for await (const line of lines) {
    onLine(line);
    const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      died,
      pid: child.pid,
      port: Number(new URL(url).port),
      kill: async () => {
        await end(child, "SIGKILL");
      },
      wake: async () => {
        await stopped(child);
        child.kill("SIGCONT");
      },
      stop: async (signal) => {
        const code = await end(child, signal);
        return { code, ...output };
      },
    };
  }
  throw new Error(`The server ended without a ready line: ${output.stderr}`);
}

/** Starts the program, and waits for lines that it writes to stderr. */
export function startProgram(args: readonly string[]) {
  const { child, output, lines } = run(args, {}, cli);
  const iterator = lines[Symbol.asyncIterator]();
  /** Resolves to what the first group of the pattern matches, else to all of it. */
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value = "", done } = await iterator.next();
      if (done === true) throw new Error(`No line matches ${pattern}: ${output.stderr}`);
      const [all, group = all] = pattern.exec(value) ?? [];
      if (group !== undefined) return group;
    }
  };
  return { child, said };
}

/** Runs the program to its end. */
export async function runToEnd(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { child, output } = run(args, env, cli);
  const [code] = await once(child, "close");
  return { code, ...output };
}

function run(args: readonly string[], env: Record<string, string>, program: string) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  afterwards(() => end(child, "SIGKILL"));
  const output = { stderr: "", stdout: "" };
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  return { child, output, lines: createInterface({ input: child.stderr }) };
}

const lookEveryMs = 5;

/** Resolves when a process stands still. Linux only, as these tests are. */
async function stopped({ pid }: ChildProcess): Promise<void> {
  const state = async (): Promise<string> => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return stat.charAt(stat.lastIndexOf(")") + 2);
  };
  while ((await state()) !== "T") await sleep(lookEveryMs);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, "close");
  child.kill(signal);
  await exited;
  return child.exitCode;
}
