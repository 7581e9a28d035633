import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** A server's process, with what it reads and writes. */
export type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

/** The flags of a command line that asks for nothing but a supervised server. */
const servingFlags = {
  store: { type: "string" },
  name: { type: "string" },
  recover: { type: "string" },
  handoff: { type: "boolean" },
} as const;

/**
 * Starts the server of a plain command line before anything else is loaded: the supervisor loads beside it, so that the
 * host does not wait for one after the other.
 *
 * @returns `undefined` for any other command line: then whoever parses it decides.
 */
export function startEarly(args: readonly string[]): ServerProcess | undefined {
  if (!asksForServer(args)) return undefined;
  const child = startServer(process.execPath, serverArguments(args));
  // Whoever takes the process over sees that it has none.
  child.on("error", () => {});
  return child;
}

/** Starts a server's process, whose errors go where this one's go. */
export function startServer(program: string, args: readonly string[]): ServerProcess {
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}

/** What to call this program with, so that it serves itself what it was asked to supervise. */
export function serverArguments(args: readonly string[]): readonly string[] {
  return [fileURLToPath(new URL("./cli.js", import.meta.url)), ...args, "--no-supervise"];
}

function asksForServer(args: readonly string[]): boolean {
  try {
    return parseArgs({ args: [...args], options: servingFlags, allowPositionals: true }).positionals.length === 1;
  } catch {
    return false;
  }
}
