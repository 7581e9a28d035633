import { type ServerConfig, type ServerTest, serverAddress } from "@resumable-mcp/client";
import { didYouMean } from "@resumable-mcp/command-line/options";
import type { HostName } from "@resumable-mcp/protocol/hosts";
import { plainText } from "../../display/plain-text.js";
import {
  type HostServer,
  hostEnvironment,
  importableHosts,
  importState,
  readHostServers,
  takeServer,
} from "../../hosts/host-servers.js";
import type { Command, CommandContext } from "../command.js";
import { type ServersVerb, serversVerbs } from "../command-table.js";
import { exitCodes, UsageError } from "../exit-code.js";
import { httpServer, stdinName } from "../parse-command-line.js";
import { signInOnTerminal } from "./sign-in-on-terminal.js";

/** `servers [list|add|test|remove|login|import]`: the servers of this client. */
export const serversCommand: Command = async (context) => {
  const [verb = "list", ...words] = context.line.words;
  const known = serversVerbs.find((one) => one === verb);
  if (known === undefined)
    throw new UsageError(
      `There is no command servers ${verb}.${didYouMean(verb, serversVerbs)} There are: ${serversVerbs.join(", ")}.`,
    );
  return verbs[known](context, words);
};

const verbs: Readonly<Record<ServersVerb, (context: CommandContext, words: readonly string[]) => Promise<number>>> = {
  list: listServers,
  add: addServer,
  test: testServers,
  remove: removeServers,
  login: (context, words) => signInOnTerminal(context, needed(words[0], "login")),
  import: importServers,
};

async function listServers({ client, output }: CommandContext): Promise<number> {
  const pings = await client.ping();
  const servers = client.servers().map(({ address, name, sessionId }) => {
    const ping = pings.find(({ server }) => server === address);
    const title = name === undefined ? address : `${name}  ${address}`;
    return {
      line: ping?.ok === true ? `+ ${title}` : `x ${title}  ${ping?.problem ?? ""}`,
      facts: { ...{ server: address, name, ok: false }, ...ping, session_id: sessionId },
    };
  });
  const lines = servers.map(({ line }) => line);
  return output.result({ servers: servers.map(({ facts }) => facts) }, lines);
}

/** Adds a server and asks it for a sign of life; one that does not answer is kept all the same. */
async function addServer(context: CommandContext, words: readonly string[]): Promise<number> {
  const { client, line, output } = context;
  const config = await withToken(context, configOf(context, words));
  const { name, oauth } = line;
  const { address } = await client.addServer(config, { name });
  if ("url" in config && config.token !== undefined && isOpenToOthers(config.url)) {
    output.note(`Warning: the connection to ${address} is not encrypted, so others on the network can read the token.`);
  }
  if (oauth) {
    const code = await signInOnTerminal(context, address);
    if (code !== exitCodes.ok) return code;
  }
  const test = await client.testServer(address);
  printTest(context, test);
  if (test.ok) return exitCodes.ok;
  const help = test.code === "UNAUTHORIZED" ? `servers login ${name ?? address}` : `servers test ${name ?? address}`;
  output.note(`The server is added. Next: resumable-mcp ${help}`);
  return exitCodes.unreachable;
}

/** The server that the words or `--url` and `--stdio` name: exactly one. */
function configOf({ line }: CommandContext, words: readonly string[]): ServerConfig {
  const configs = [...words.map((url) => httpServer(url)), ...line.servers];
  const [config, ...others] = configs;
  if (config === undefined || others.length > 0) {
    throw new UsageError('servers add needs one server: a URL, or --stdio "COMMAND".');
  }
  return config;
}

async function withToken({ line }: CommandContext, config: ServerConfig): Promise<ServerConfig> {
  const token = line["token-file"] === stdinName ? await readSecretLine(process.stdin) : line.givenToken;
  if (token === undefined) return config;
  if ("command" in config || line.oauth)
    throw new UsageError("--token and --token-file are for a server over HTTP without --oauth. Leave them out.");
  if (token === "") throw new UsageError("Nothing came on stdin. Pipe the token in, or name a file.");
  return { ...config, token };
}

function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

async function testServers(context: CommandContext, words: readonly string[]): Promise<number> {
  const { client } = context;
  const wanted = words.length > 0 ? words : client.servers().map(({ address }) => address);
  const tests = await Promise.all(wanted.map((word) => client.testServer(word)));
  for (const test of tests) printTest(context, test);
  return tests.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.unreachable;
}

function printTest({ output }: CommandContext, test: ServerTest): void {
  const { server, ok, milliseconds, tools, resumable, problem = server } = test;
  const tasks = resumable === true ? "its tasks can be resumed" : "its calls cannot be resumed";
  const answer = plainText(`+ ${server} answers (${milliseconds} ms): ${tools} tools, ${tasks}`);
  output.result(test, [ok ? answer : `x ${problem}`]);
}

async function removeServers({ client, output }: CommandContext, words: readonly string[]): Promise<number> {
  needed(words[0], "remove");
  for (const word of words) {
    const server = client.servers().find(({ name, address }) => [name, address].includes(word));
    const address = server?.address ?? serverAddress({ url: word });
    await client.removeServer(word);
    const left = client.summary().activeTasks.filter(({ server_url }) => server_url === address).length;
    const rest = left === 0 ? "" : ` ${left} unfinished tasks stay on it.`;
    output.result({ removed: address, unfinished_tasks: left }, [`Removed ${address}.${rest}`]);
  }
  return exitCodes.ok;
}

function needed(word: string | undefined, verb: string): string {
  if (word === undefined) throw new UsageError(`servers ${verb} needs the name or the address of a server.`);
  return word;
}

/** More than any token has. */
const maxSecretBytes = 64 * 1024;

/** Reads one secret from a stream to its end; the line break behind it is not part of it. */
async function readSecretLine(stream: NodeJS.ReadStream): Promise<string> {
  if (stream.isTTY)
    throw new UsageError("--token-file - reads the token from a pipe, as in: pass show my-token | resumable-mcp …");
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > maxSecretBytes)
      throw new UsageError(`The token on stdin is longer than ${maxSecretBytes} bytes.`);
  }
  return text.trim();
}

/**
 * `servers import [HOST[/NAME] …]`: takes over servers that hosts have configured; without words it shows them.
 *
 * The hosts' files are only read. Headers and environment in them go to the credentials file.
 */
async function importServers(context: CommandContext, words: readonly string[]): Promise<number> {
  const { client, line, output } = context;
  const wanted = words.map(parseWord);
  const hosts = wanted.length === 0 ? importableHosts : [...new Set(wanted.map(({ host }) => host))];
  const found = await readHostServers(hosts, hostEnvironment(), line.config);
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
  const host = importableHosts.find((known) => known === first);
  if (host === undefined) throw new UsageError(`There is no host ${first}. There are: ${importableHosts.join(", ")}.`);
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
