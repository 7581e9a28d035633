import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** A program in a terminal of its own. */
export interface PseudoTerminal {
  /** Resolves to exit code and signal. */
  readonly closed: Promise<unknown[]>;
  press(keys: string): void;
  /** Waits until text appears that was not looked at before, and gives what matched. */
  sees(text: RegExp): Promise<RegExpExecArray>;
  /** Ends the program as a power cut would. */
  kill(): Promise<void>;
}

/** Runs a script with this Node in a pseudo-terminal. */
export function openTerminal(script: string, args: readonly string[], folder: string): PseudoTerminal {
  const words = [process.execPath, script, ...args].map((word) => `'${word}'`).join(" ");
  const command = `stty rows 24 cols 120; echo "pid $$"; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm-256color" },
  });
  const closed = once(child, "close");
  let written = "";
  let pid: number | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    pid ??= pidIn(written);
  });
  return {
    closed,
    press: (keys) => child.stdin.write(keys),
    async sees(text) {
      for (;;) {
        const screen = stripVTControlCharacters(written);
        const match = text.exec(screen);
        if (match !== null) {
          written = screen.slice(match.index + match[0].length);
          return match;
        }
        await Promise.race([once(child.stdout, "data"), closed.then(() => fail(screen))]);
      }
    },
    async kill() {
      // The program first: killing only its terminal would give it time for a farewell.
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      await closed;
    },
  };
}

function pidIn(text: string): number | undefined {
  const [, pid] = /pid (\d+)/.exec(text) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

function fail(screen: string): never {
  throw new Error(`The program ended after: ${screen}`);
}
