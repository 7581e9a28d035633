import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export interface SpawnedServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends it in the given way; resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the built server and waits until it listens. */
export function spawnServer(...args: readonly string[]): Promise<SpawnedServer> {
  return spawnListening([fileURLToPath(new URL("../dist/server.js", import.meta.url)), ...args]);
}

/** Starts a script that says when it listens, and waits until it does. */
export async function spawnListening(script: readonly string[]): Promise<SpawnedServer> {
  const child = spawn(process.execPath, script, { stdio: ["ignore", "ignore", "pipe"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const found = /^listening on (\S+)/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
      else lines.push(line);
    });
    void gone.then(() => reject(new Error(`The server ended before it listened:\n${lines.join("\n")}`)));
  });
  return {
    url,
    process: child,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return gone;
    },
  };
}
