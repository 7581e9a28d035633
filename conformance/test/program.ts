import { type ChildProcess, spawn } from "node:child_process";

/** After this time a line that does not come is a failure that shows what came instead. */
const lineTimeoutMs = 60_000;
const shownCharacters = 4_000;

/** A process and what it has written so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  /** Resolves when stdout or stderr has a match. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves to stdout of a process that ends with code 0, and fails with what any other one wrote. */
  succeeded(): Promise<string>;
}

const running = new Set<ChildProcess>();

/** Starts a program. */
export function start(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Program {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let [stdout, stderr] = ["", ""];
  const checks = new Set<() => void>();
  const wake = () => {
    for (const check of checks) check();
  };
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    wake();
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    wake();
  });
  let isOver = false;
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(child);
      isOver = true;
      resolve(code ?? signal ?? "unknown");
      wake();
    });
  });
  const failure = (what: string) => {
    const shown = `${stdout.slice(-shownCharacters)}\n${stderr.slice(-shownCharacters)}`;
    return new Error(`${command} ${args.join(" ")} ${what}:\n${shown}`);
  };
  const seen = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        checks.delete(check);
        end();
      };
      const check = () => {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr);
        if (match !== null) finish(() => resolve(match));
        else if (isOver) finish(() => reject(failure(`ended without ${pattern}`)));
      };
      const timer = setTimeout(() => finish(() => reject(failure(`did not write ${pattern}`))), lineTimeoutMs);
      checks.add(check);
      check();
    });
  const succeeded = async () => {
    const code = await ended;
    if (code !== 0) throw failure(`ended with ${code}`);
    return stdout;
  };
  return { child, stdout: () => stdout, seen, ended, succeeded };
}

/** Ends everything that is still running. */
export async function killAll(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
      child.kill("SIGKILL");
      return gone;
    }),
  );
}
