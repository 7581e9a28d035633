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
  return spawnServerOn(process.execPath, ...args);
}

/** The same on another Node. */
export async function spawnServerOn(node: string, ...args: readonly string[]): Promise<SpawnedServer> {
  const file = fileURLToPath(new URL("../dist/server.js", import.meta.url));
  const child = spawn(node, [file, ...args], { stdio: ["ignore", "ignore", "pipe"] });
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
