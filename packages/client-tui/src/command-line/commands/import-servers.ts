import { serverAddress } from "@resumable-mcp/client";
import { type HostName, hostNames } from "@resumable-mcp/protocol/hosts";
import { plainText } from "../../display/plain-text.js";
import {
  type HostServer,
  hostEnvironment,
  importState,
  readHostServers,
  takeServer,
} from "../../hosts/host-servers.js";
import type { CommandContext } from "../command.js";
import { exitCodes, UsageError } from "../exit-code.js";

/**
 * `servers import [HOST[/NAME] …]`: takes over servers that hosts have configured; without words it shows them.
 *
 * The hosts' files are only read. Headers and environment in them go to the credentials file.
 */
export async function importServers(context: CommandContext, words: readonly string[]): Promise<number> {
  const { client, line, output } = context;
  const wanted = words.map(parseWord);
  const hosts = wanted.length === 0 ? hostNames : [...new Set(wanted.map(({ host }) => host))];
  const found = await readHostServers(hosts, hostEnvironment(), line.file);
  for (const { file, problem } of found.problems) output.note(`${file} was skipped: ${problem}.`);
  if (wanted.length === 0 && !line.all) {
    for (const server of found.servers) printServer(context, server, importState(client, server));
    if (!output.json) output.note(nextStep(found.servers.length));
    return exitCodes.ok;
  }
  const chosen = found.servers.filter((server) => wanted.length === 0 || wanted.some((word) => matches(word, server)));
  const unknown = wanted.filter((word) => !found.servers.some((server) => matches(word, server)));
  for (const server of chosen) printServer(context, server, await takeServer(client, server));
  for (const { word } of unknown)
    output.note(`No program has configured ${word}. \`servers import\` lists what there is.`);
  return unknown.length > 0 ? exitCodes.notFound : exitCodes.ok;
}

interface Wanted {
  readonly word: string;
  readonly host: HostName;
  readonly name: string | undefined;
}

function parseWord(word: string): Wanted {
  const [first, ...rest] = word.split("/");
  const host = hostNames.find((known) => known === first);
  if (host === undefined) throw new UsageError(`There is no host ${first}. There are: ${hostNames.join(", ")}.`);
  return { word, host, name: rest.length === 0 ? undefined : rest.join("/") };
}

function matches({ host, name }: Wanted, server: HostServer): boolean {
  return host === server.host && (name === undefined || name === server.name);
}

function printServer({ output }: CommandContext, server: HostServer, state: string): void {
  const { host, name, file, config, problem } = server;
  const address = config && serverAddress(config);
  const place = `${plainText(`${host}/${name}`)}  ${plainText(address ?? problem ?? "")}`;
  output.result({ host, name, file, server: address, state, problem }, [`${state.padEnd(8)}  ${place}`]);
}

function nextStep(count: number): string {
  if (count === 0) return "No host on this machine has a server configured.";
  return "Import them with: resumable-mcp servers import HOST[/NAME] …, or --all";
}
