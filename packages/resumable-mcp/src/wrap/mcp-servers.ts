import { readFile } from "node:fs/promises";
import { CommandError, errorSentence } from "@resumable-mcp/command-line";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { parseJson } from "@resumable-mcp/protocol";
import type { ServerCommand, ServerUrl } from "@resumable-mcp/wrap";
import { checkUrl } from "./server-url.js";

/** What an entry may say, by how its server is reached. */
const keys = { command: ["type", "command", "args", "env", "cwd"], url: ["type", "url", "headers"] } as const;
/** What `type` may say then. */
const types = { command: ["stdio"], url: ["http", "streamable-http"] } as const;
type Way = keyof typeof keys;

/**
 * Reads a file of servers, as hosts write it. Its other parts are the host's. `${NAME}` is a variable of the environment, and
 * `${NAME:-TEXT}` the text where that is not set or empty.
 *
 * @throws {@link CommandError} that says what is wrong, and with which server.
 */
export async function readMcpServers(file: string): Promise<Readonly<Record<string, ServerCommand | ServerUrl>>> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CommandError(`Cannot read ${file}: ${errorSentence(cause)}.`, 2, cause);
  });
  const given = parseJson(text);
  if (given === undefined) throw new CommandError(`${file} is not JSON. Comments and final commas are not allowed.`, 2);
  const { mcpServers }: JsonObject = isJsonObject(given) ? given : {};
  const entries = isJsonObject(mcpServers) ? Object.entries(mcpServers) : [];
  if (entries.length === 0)
    throw new CommandError(`${file} names no server. Write {"mcpServers": {"NAME": {"command": "PROGRAM"}}}.`, 2);
  return Object.fromEntries(entries.map(([name, entry]) => [name, readServer(`${file}: ${name}`, entry)]));
}

/** @param where names the server for people. */
function readServer(where: string, entry: unknown): ServerCommand | ServerUrl {
  if (!isJsonObject(entry)) throw new CommandError(`${where} must be an object.`, 2);
  checkKeys(where, entry, wayOf(where, entry));
  const { command, args = [], env = {}, cwd } = entry;
  if (command === undefined) return readUrl(where, entry);
  if (!Array.isArray(args)) throw new CommandError(`${where}: args must be a list of texts.`, 2);
  return {
    command: readText(`${where}: command`, command),
    args: args.map((word, index) => readText(`${where}: args[${index}]`, word)),
    env: readTexts(`${where}: env`, env),
    ...(cwd !== undefined && { cwd: readText(`${where}: cwd`, cwd) }),
  };
}

function readUrl(where: string, { url, headers: given = {} }: JsonObject): ServerUrl {
  const headers = Object.entries(readTexts(`${where}: headers`, given));
  const server = { url: readText(`${where}: url`, url) };
  checkUrl(`${where}: url`, server.url, headers.length > 0);
  return { ...server, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) };
}

function wayOf(where: string, entry: JsonObject): Way {
  const { type, command, url } = entry;
  if (type === "sse")
    throw new CommandError(`${where} has the type "sse", which MCP has replaced. Use its endpoint for "http".`, 2);
  if ((command === undefined) === (url === undefined))
    throw new CommandError(`${where} must have either a command or a url. It has ${Object.keys(entry).join(", ")}.`, 2);
  return command === undefined ? "url" : "command";
}

function checkKeys(where: string, entry: JsonObject, way: Way): void {
  const known: readonly string[] = keys[way];
  const unknown = Object.keys(entry).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new CommandError(`${where} has the key "${unknown}". With ${way} it may have ${known.join(", ")}.`, 2);
  const { type = types[way][0] } = entry;
  if (!types[way].some((each) => each === type))
    throw new CommandError(`${where}: with ${way}, type must be ${types[way].join(" or ")}.`, 2);
}

function readTexts(where: string, given: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(given)) throw new CommandError(`${where} must be an object of texts.`, 2);
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, readText(`${where}.${key}`, value)]));
}

function readText(where: string, given: unknown): string {
  if (typeof given !== "string") throw new CommandError(`${where} must be a text.`, 2);
  return given.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_all, name: string, otherwise?: string) => {
    const value = process.env[name];
    if (value !== undefined && (value !== "" || otherwise === undefined)) return value;
    if (otherwise !== undefined) return otherwise;
    throw new CommandError(
      `${where} needs the variable ${name}, which is not set. Set it, or write \${${name}:-TEXT}.`,
      2,
    );
  });
}
