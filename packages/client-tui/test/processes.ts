import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

/** The program as it is published. */
export const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const serverCli = fileURLToPath(new URL("../node_modules/@resumable-mcp/server-http/dist/cli.js", import.meta.url));
const stdioCli = fileURLToPath(new URL("../node_modules/@resumable-mcp/server-stdio/dist/cli.cjs", import.meta.url));
const toolsModule = fileURLToPath(new URL("./counting-tools.mjs", import.meta.url));

/** Processes that a test has started; what is left at its end is killed. */
const started = new Set<ChildProcess>();

/** After this time a text that does not come is a failure that shows what came instead. */
const seenTimeoutMs = 20_000;
const shownCharacters = 3_000;

/** A process and what it has written so far. */
export interface Spawned {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when either stream has written something that matches, since the last `press`. */
  seen(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Types on the terminal; what was written before is not looked at again. */
  press(keys: string): Promise<void>;
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** The environment of the tests, without what the person who runs them likes: only a test chooses colours. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, ...environment } = process.env;
  return environment;
}

/** Starts a program and listens to it. */
export function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Spawned {
  const child = spawn(command, args, { stdio: "pipe", env: { ...plainEnvironment(), ...env } });
  started.add(child);
  let stdout = "";
  let stderr = "";
  let from = 0;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    wake();
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    wake();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => {
      started.delete(child);
      resolve(code ?? signal ?? "unknown");
      wake();
    });
  });
  const seen = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(check);
        end();
      };
      const fail = (why: string) => {
        const shown = `${stdout.slice(-shownCharacters)}\n${stderr.slice(-shownCharacters)}`;
        finish(() => reject(new Error(`${why} ${pattern}:\n${shown}`)));
      };
      const check = () => {
        const match = stdout.slice(from).match(pattern) ?? stderr.match(pattern);
        if (match !== null) finish(() => resolve(match));
        else if (child.exitCode !== null) fail("ended without");
      };
      const timer = setTimeout(() => fail("did not write"), seenTimeoutMs);
      waiting.add(check);
      check();
    });
  const press = (keys: string) => {
    from = stdout.length;
    return new Promise<void>((resolve) => child.stdin.write(keys, () => resolve()));
  };
  return { press, child, stdout: () => stdout, stderr: () => stderr, seen, ended };
}

/** Runs the client's program to its end. */
export async function run(
  ...args: readonly string[]
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const program = startCli(...args);
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** Runs the client's program to its end, with variables of the environment. */
export async function runWith(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const program = startCliWith(env, ...args);
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** Starts the client's program with variables of the environment. */
export function startCliWith(env: NodeJS.ProcessEnv, ...args: readonly string[]): Spawned {
  return start(process.execPath, [cli, ...args], env);
}

/** Starts the client's program. */
export function startCli(...args: readonly string[]): Spawned {
  return start(process.execPath, [cli, ...args]);
}

/** Names a file into which the exit code is written of a program whose terminal closes before it ends. */
export const codeFileVariable = "EXIT_CODE_FILE";

/** Starts the client's program in a pseudo-terminal of 80×24; its first line names its process and its terminal. */
export function startInTerminal(...args: readonly string[]): Spawned {
  return startInTerminalWith({ TERM: "xterm-256color" }, ...args);
}

/** The same, with something in its environment. */
export function startInTerminalWith(env: NodeJS.ProcessEnv, ...args: readonly string[]): Spawned {
  const words = [process.execPath, cli, ...args].map((word) => `'${word}'`).join(" ");
  // The shell outlives the terminal only where it has something to write down.
  const program = codeFileVariable in env ? `trap "" HUP; ${words}; echo $? > "$${codeFileVariable}"` : `exec ${words}`;
  const command = `stty rows 24 cols 80; echo "pid $$ on $(tty)"; ${program}`;
  return start("script", ["-qec", command, "/dev/null"], env);
}

/** Gives a pseudo-terminal another size, as a user does who drags the window's corner. */
export async function resizeTerminal(terminal: Spawned, columns: number, rows: number): Promise<void> {
  const [, tty = ""] = terminal.stdout().match(/pid \d+ on (\S+)/) ?? [];
  await succeed("stty", "-F", tty, "rows", String(rows), "cols", String(columns));
}

/** Runs a command and fails when it does. */
async function succeed(command: string, ...args: readonly string[]): Promise<void> {
  const program = start(command, args);
  const code = await program.ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${program.stderr()}`);
}

/** The words that let the client start the real server itself. */
export function overStdio(store: string): readonly string[] {
  return ["--stdio", `"${process.execPath}" "${stdioCli}" "${toolsModule}" --store "${store}"`];
}

/** Starts the real server on a port and resolves when it listens. */
export async function startServer(port: number, store: string, ...more: readonly string[]): Promise<Spawned> {
  const server = start(process.execPath, [serverCli, toolsModule, "--port", String(port), "--store", store, ...more]);
  await server.seen(/listening on /);
  return server;
}

/** Ends a process as a power cut would. */
export async function kill(program: Spawned): Promise<void> {
  program.child.kill("SIGKILL");
  await program.ended;
}

/** Ends everything that a test has left behind. */
export async function killAll(): Promise<void> {
  await Promise.all(
    [...started].map(
      (child) =>
        new Promise<void>((resolve) => {
          child.on("close", () => resolve());
          child.kill("SIGKILL");
        }),
    ),
  );
}

/** Finds a free port, to which a server can come back. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
