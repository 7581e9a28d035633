import { CommandError } from "@resumable-mcp/command-line";
import type { HostName } from "@resumable-mcp/protocol/hosts";
import { readConfig } from "./config-file.js";
import type { Values } from "./edited-text.js";
import { editorFor } from "./editor-for.js";
import { hostEntry, lastingPath } from "./host-config.js";
import { type Dialogue, installServer, type Outcome, uninstallServer } from "./install.js";

/** A server that a host has already. */
export interface ServerOfHost {
  readonly host: HostName;
  readonly file: string;
  readonly name: string;
}

/** How a host starts a server. */
export interface StartOfServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A gateway: its script, and its options. */
export type Gateway = readonly [string, ...string[]];

/** The command of an entry and its arguments: each host has its own names for them. */
export function wordsIn({ command, cmd, args }: Values): readonly string[] {
  return [command ?? cmd, args].flat().filter((word) => typeof word === "string");
}

function startOf(entry: Values): StartOfServer {
  const [command = "", ...args] = wordsIn(entry);
  const variables = Object.entries(Object(entry.env ?? entry.environment ?? entry.envs));
  const env = Object.fromEntries(variables.map(([name, value]) => [name, String(value)]));
  return { command, args, env, ...(typeof entry.cwd === "string" && { cwd: entry.cwd }) };
}

/** The same entry with another command. */
function withWords(entry: Values, [program = "", ...args]: readonly string[]): Values {
  if (Array.isArray(entry.command)) return { ...entry, command: [program, ...args] };
  return "cmd" in entry ? { ...entry, cmd: program, args } : { ...entry, command: program, args };
}

/**
 * Reads how a host starts a server.
 *
 * @throws {@link CommandError} where it has none of that name, or one that it does not start.
 */
export async function commandOf({ host, file, name }: ServerOfHost): Promise<readonly string[]> {
  const entry = await entryOf({ host, file, name });
  const words = wordsIn(entry);
  if (words.length > 0) return words;
  throw new CommandError(`${host} does not start ${name} of ${file}: it is a server elsewhere. Wrap it with --url.`);
}

/**
 * Puts the gateway in front of a server of a host, which keeps everything but its command.
 *
 * @param more options of the gateway that depend on the server.
 */
export async function wrapServer(
  server: ServerOfHost,
  gateway: Gateway,
  dialogue: Dialogue,
  more: (start: StartOfServer) => Promise<readonly string[]> = async () => [],
): Promise<Outcome> {
  const words = await commandOf(server);
  if (unwrapped(words) !== undefined) {
    dialogue.show(`${server.name} of ${server.file} is wrapped already. Nothing to change.\n`);
    return "unchanged";
  }
  const [script, ...options] = gateway;
  const found = await entryOf(server);
  const all = [...options, ...(await more(startOf(found)))];
  const entry = withWords(found, [process.execPath, lastingPath(script), "wrap", ...all, "--", ...words]);
  return installServer(server.file, { ...placeOf(server), entry }, dialogue);
}

/** Takes the gateway away again: the file becomes what it was, byte for byte, where nothing else was changed since. */
export async function unwrapServer(server: ServerOfHost, dialogue: Dialogue): Promise<Outcome> {
  const entry = await entryOf(server);
  const words = unwrapped(wordsIn(entry));
  if (words === undefined) {
    dialogue.show(`${server.name} of ${server.file} is not wrapped. Nothing to change.\n`);
    return "unchanged";
  }
  return uninstallServer(server.file, placeOf(server), dialogue, withWords(entry, words));
}

/** The command that a gateway starts; `undefined` for another command. */
function unwrapped(words: readonly string[]): readonly string[] | undefined {
  const end = words.indexOf("--");
  return words[2] === "wrap" && /resumable-mcp/.test(words[1] ?? "") && end > 0 ? words.slice(end + 1) : undefined;
}

function placeOf({ host, name }: ServerOfHost) {
  const { entry: _entry, ...place } = hostEntry(host, { name, command: "", args: [] });
  return place;
}

async function entryOf({ host, file, name }: ServerOfHost): Promise<Values> {
  const { text = "" } = await readConfig(file);
  const place = placeOf({ host, file, name });
  const servers = editorFor(place.format).servers(text, place, file);
  const { [name]: entry } = servers;
  if (typeof entry === "object" && entry !== null) return { ...entry };
  const known = Object.keys(servers);
  const there = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
  throw new CommandError(`${file} has no server ${JSON.stringify(name)}. ${there}`);
}
