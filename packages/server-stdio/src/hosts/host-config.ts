import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CommandError,
  hasPassword,
  loadServer,
  readControlToolMode,
  readQuotas,
  readRecovery,
  readStorePlace,
  wordsOf,
} from "@resumable-mcp/command-line";
import { type HostFormat, type HostName, hostFormat, serversKey } from "@resumable-mcp/protocol/hosts";
import { dataFolder, environment } from "../data-folder.js";
import type { Flags } from "../flags.js";
import type { PlacedServer } from "./config-editor.js";

/** How a host is to start a server: absolute paths, since hosts have another PATH and another working directory. */
export interface ServerStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What a host's configuration has to hold. */
export interface HostEntry extends PlacedServer {
  readonly format: HostFormat;
}

/** What a host needs to start a server. Source: the hosts' documentation of their configuration files, docs/hosts.md. */
export function hostEntry(host: HostName, { name, command, args }: ServerStart): HostEntry {
  const place = { key: serversKey(host), name, format: hostFormat(host) };
  // Version 2 keeps servers in `mcp.servers`, and reads those of version 1 in `mcp`.
  if (host === "opencode") {
    return { ...place, deeperKey: "servers", entry: { type: "local", command: [command, ...args] } };
  }
  // How long Goose waits for a call, in seconds: what it writes itself.
  if (host === "goose") {
    return { ...place, entry: { name, type: "stdio", cmd: command, args, enabled: true, envs: {}, timeout: 300 } };
  }
  // A file of Continue is refused without these: what it makes itself.
  if (host === "continue") {
    const needs = { name: "Local Config", version: "1.0.0", schema: "v1" };
    return { ...place, needs, entry: { name, command, args } };
  }
  const typed = host === "claude-code" || host === "vscode" ? ({ type: "stdio" } as const) : {};
  return { ...place, entry: { ...typed, command, args } };
}

/** The flags that say what to write, and those whose values the host needs in another form. All others are passed on. */
const notPassedOn: readonly string[] = [
  ...["store", "name", "store-password-file", "keyring", "webhook-secret-file", "settings"],
  ...["command", "print-config", "install", "uninstall", "scope", "config", "yes", "help", "version"],
];

/**
 * Works out how a host has to start a server, with nothing in it that depends on where the host runs.
 *
 * @throws {@link CommandError} when the module cannot be loaded, or nothing says what to start.
 */
export async function serverStart(module: string | undefined, flags: Flags): Promise<ServerStart> {
  const { command, name: given } = flags;
  if (command !== undefined) {
    if (module !== undefined) throw new CommandError("Give a tools module or --command, not both.", 2);
    if (given === undefined) throw new CommandError("Give --name: the host needs a name for the supervised server.", 2);
    return { name: given, command: process.execPath, args: [ownScript(), "--command", command] };
  }
  if (module === undefined)
    throw new CommandError("Name the tools module that the host starts, as in --install cursor ./tools.ts.", 2);
  const name = given ?? (await loadServer(module)).name;
  if (hasPassword(flags.store)) {
    const text =
      "--store holds a password, which does not belong into a configuration file. Use --store-password-file.";
    throw new CommandError(text, 2);
  }
  const place = readStorePlace(flags, dataFolder(name, environment()));
  const store = "directory" in place ? place.directory : place.connectionString;
  readRecovery(flags);
  readControlToolMode(flags["control-tools"]);
  readQuotas(flags);
  const files = (["store-password-file", "keyring", "webhook-secret-file", "settings"] as const).flatMap((flag) => {
    const path = flags[flag];
    return path === undefined ? [] : [`--${flag}`, resolve(path)];
  });
  const more = wordsOf(Object.fromEntries(Object.entries(flags).filter(([flag]) => !notPassedOn.includes(flag))));
  const args = [ownScript(), resolve(module), "--name", name, "--store", store, ...files, ...more];
  return { name, command: process.execPath, args };
}

/** The script that this program was started by. */
export function ownScript(): string {
  return lastingPath(fileURLToPath(new URL("../cli.cjs", import.meta.url)));
}

/** The path of an installed file that an update keeps: pnpm has a folder for each version, and a link that leads to the present one. */
export function lastingPath(path: string): string {
  const lasting = path.replace(/(?<=[/\\]node_modules[/\\]\.pnpm[/\\])[^/\\]+[/\\](?=node_modules[/\\])/, "");
  return existsSync(lasting) && realpathSync(lasting) === path ? lasting : path;
}
