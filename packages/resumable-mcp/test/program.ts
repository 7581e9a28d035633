import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
/** The program of this package. */
export const cli = join(packageFolder, "dist", "cli.js");

/** A folder in which a module can import this package and zod, as in a project of a user. */
export async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  await mkdir(join(folder, "node_modules"));
  await symlink(packageFolder, join(folder, "node_modules", "resumable-mcp"));
  await symlink(join(packageFolder, "node_modules", "zod"), join(folder, "node_modules", "zod"));
  return folder;
}

/** A running program, and what it has written. */
export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when there is a match after the last one. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the exit code, when all is read. */
  readonly ended: Promise<number | null>;
}

/** Starts a program as it is published, by default that of this package, in a process group as a terminal makes one. */
export function start(args: readonly string[], cwd: string, program: string = cli): Running {
  const folders = Object.fromEntries(["STATE", "DATA", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(cwd, kind)]));
  const env = { ...process.env, ...folders, HOME: join(cwd, "home"), XDG_CONFIG_HOME: join(cwd, "config") };
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let from = 0;
  let isOver = false;
  const checks = new Set<() => void>();
  const hear = (chunk: Buffer | string) => {
    output += chunk;
    for (const check of checks) check();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "close").then(([code]: (number | null)[]) => {
    isOver = true;
    hear("");
    return code ?? null;
  });
  onTestFinished(async () => {
    if (isOver) return;
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    output: () => output,
    seen: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output.slice(from));
          if (found === null && !isOver) return;
          checks.delete(check);
          if (found === null) reject(new Error(`No ${pattern} in:\n${output}`));
          else {
            from += found.index + found[0].length;
            resolve(found);
          }
        };
        checks.add(check);
        check();
      }),
  };
}
