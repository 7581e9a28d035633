import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CommandError,
  loadServer,
  quotaArguments,
  readQuotas,
  readRecoverAfter,
} from "@resumable-mcp/mcp/command-line";
import { dataFolder, environment } from "../data-folder.js";
import type { ServerStart, StartFlags } from "./host-config.js";

/**
 * Works out how a host has to start a server, with nothing in it that depends on where the host runs.
 *
 * @throws {@link CommandError} when the module cannot be loaded, or nothing says what to start.
 */
export async function serverStart(module: string | undefined, flags: StartFlags, usage: string): Promise<ServerStart> {
  const { command, name: given } = flags;
  if (command !== undefined) {
    if (module !== undefined) throw new CommandError(`Give a tools module or --command, not both.\n${usage}`, 2);
    if (given === undefined) throw new CommandError("Give the supervised server a --name for its host.", 2);
    return { name: given, command: process.execPath, args: [ownScript(), "--command", command] };
  }
  if (module === undefined) throw new CommandError(`Name the tools module that the host is to serve.\n${usage}`, 2);
  const name = given ?? (await loadServer(module)).name;
  const store = resolve(flags.store ?? dataFolder(name, environment()));
  const recoverAfter = flags["recover-after"];
  readRecoverAfter(recoverAfter);
  const recover = recoverAfter === undefined ? [] : ["--recover-after", recoverAfter];
  const handoff = flags.handoff === true ? ["--handoff"] : [];
  readQuotas(flags);
  const more = [...recover, ...handoff, ...quotaArguments(flags)];
  const args = [ownScript(), resolve(module), "--name", name, "--store", store, ...more];
  return { name, command: process.execPath, args };
}

/** The script that this program was started by. */
export function ownScript(): string {
  return fileURLToPath(new URL("./cli.cjs", import.meta.url));
}
