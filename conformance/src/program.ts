import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";

/** After this time something that does not come is a failure that shows what came instead. */
const patienceMs = 60_000;
const shownCharacters = 4_000;

/** A process and what it has written so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Looks again at all that was written whenever there is more, until something is found. */
  until<Found>(what: string, find: () => Found | undefined): Promise<Found>;
  /** Resolves when stdout or stderr has a match. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves to stdout of a process that ends with code 0, and fails with what any other one wrote. */
  succeeded(): Promise<string>;
  /** Ends it; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<Program>();

/** How a program is started. */
interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Its standard input is a pipe, and not empty. */
  readonly input?: true;
  /** It leads a group of processes: `stop` reaches all of them. */
  readonly group?: true;
}

/** Starts a program. */
export function start(
  command: string,
  args: readonly string[],
  { input, group, ...options }: StartOptions = {},
): Program {
  const stdio: StdioOptions = [input ? "pipe" : "ignore", "pipe", "pipe"];
  const child: ChildProcess = spawn(command, args, { ...options, stdio, detached: group ?? false });
  let [stdout, stderr] = ["", ""];
  let isOver = false;
  const checks = new Set<() => void>();
  const wake = () => {
    for (const check of checks) check();
  };
  child.stdout?.setEncoding("utf8").on("data", (chunk) => {
    stdout += chunk;
    wake();
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk) => {
    stderr += chunk;
    wake();
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(program);
      isOver = true;
      resolve(code ?? signal ?? "unknown");
      wake();
    });
  });
  const failure = (what: string) => {
    const shown = `${stdout.slice(-shownCharacters)}\n${stderr.slice(-shownCharacters)}`;
    return new Error(`${command} ${args.join(" ")} ${what}:\n${shown}`);
  };
  const until: Program["until"] = (what, find) =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        checks.delete(check);
        end();
      };
      const check = () => {
        const found = find();
        if (found !== undefined) finish(() => resolve(found));
        else if (isOver) finish(() => reject(failure(`ended without ${what}`)));
      };
      const timer = setTimeout(() => finish(() => reject(failure(`did not write ${what}`))), patienceMs);
      checks.add(check);
      check();
    });
  const program: Program = {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    until,
    seen: (pattern) => until(String(pattern), () => pattern.exec(stdout) ?? pattern.exec(stderr) ?? undefined),
    ended,
    async succeeded() {
      const code = await ended;
      if (code !== 0) throw failure(`ended with ${code}`);
      return stdout;
    },
    async stop(signal = "SIGKILL") {
      if (group && child.pid !== undefined) signalGroup(child.pid, signal);
      else child.kill(signal);
      await ended;
    },
  };
  running.add(program);
  return program;
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // All of them have ended.
  }
}

/** Ends everything that is still running. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()));
}

/** Runs a program of packages from the registry to its end. */
export async function runPackages(
  packages: readonly string[],
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }> {
  const from = packages.flatMap((name) => ["--package", name]);
  const program = start("npx", ["--yes", "--prefer-offline", ...from, "--", ...words], options);
  const code = await program.ended;
  return { stdout: program.stdout(), stderr: program.stderr(), exitCode: typeof code === "number" ? code : 1 };
}
