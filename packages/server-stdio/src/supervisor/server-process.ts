import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A server's process, with what it reads and writes. */
export type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a server's process, whose errors go where this one's go. */
export function startServer(program: string, args: readonly string[]): ServerProcess {
  // Only here: a server, which loads this file as well, starts no process.
  const { spawn } = process.getBuiltinModule("node:child_process");
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}

/** How to call this program, so that it serves itself what it was asked to supervise. */
export function ownServer(): readonly [string, ...string[]] {
  return [process.execPath, ...process.argv.slice(1), "--no-supervise"];
}
