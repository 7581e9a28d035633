import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { type Client, type JsonObject, type ServerConfig, serverAddress } from "@resumable-mcp/client";
import { type Json, parseJson } from "@resumable-mcp/protocol";
import { type HostEnvironment, type HostName, hostFiles, serversKey } from "@resumable-mcp/protocol/hosts";
import stripJsonComments from "strip-json-comments";
import { asObject, errorMessage } from "../json.js";

/** The hosts whose servers are taken over. */
export const importableHosts = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
] as const satisfies readonly HostName[];

/** A server that a host has configured. */
export interface HostServer {
  readonly host: HostName;
  readonly name: string;
  readonly file: string;
  /** Absent where this client cannot use it; `problem` says why. */
  readonly config?: ServerConfig;
  readonly problem?: string;
}

/** What the files of hosts hold, and which files are there and cannot be understood. */
export interface HostServers {
  readonly servers: readonly HostServer[];
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
}

/** Files larger than this are none that a person has written. */
const maxFileBytes = 16 * 1024 * 1024;

/** Where hosts' files are on this machine. */
export function hostEnvironment(): HostEnvironment {
  return { platform: process.platform, env: process.env, home: homedir(), workingDirectory: process.cwd() };
}

/** Reads what hosts have configured; nothing is written. A host's other file stands in place of its own. */
export async function readHostServers(
  hosts: readonly HostName[],
  environment: HostEnvironment,
  otherFile?: string,
): Promise<HostServers> {
  const places = hosts.flatMap((host) =>
    (otherFile === undefined ? hostFiles(host, environment) : [otherFile]).map((file) => ({ host, file })),
  );
  const read = await Promise.all(places.map(({ host, file }) => readPlace(host, file, environment)));
  return { servers: read.flatMap(({ servers }) => servers), problems: read.flatMap(({ problems }) => problems) };
}

async function readPlace(host: HostName, file: string, environment: HostEnvironment): Promise<HostServers> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const absent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    return { servers: [], problems: absent ? [] : [{ file, problem: errorMessage(error) }] };
  }
  const root = text.length > maxFileBytes ? undefined : parseWithComments(text);
  if (root === undefined)
    return { servers: [], problems: [{ file, problem: "it is not valid JSON (comments are allowed)" }] };
  return { servers: serversIn(host, root, file, environment), problems: [] };
}

function parseWithComments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  return asObject(parseJson(stripJsonComments(text.replace(/^\uFEFF/, ""), { trailingCommas: true })));
}

function serversIn(host: HostName, root: JsonObject, file: string, environment: HostEnvironment) {
  // What Claude Code keeps for one project only.
  const project = host === "claude-code" ? asObject(root.projects)?.[environment.workingDirectory] : undefined;
  return [root[serversKey(host)], asObject(project)?.mcpServers].flatMap((list) =>
    Object.entries(asObject(list) ?? {}).map(([name, entry]): HostServer => {
      return { host, name, file, ...understand(asObject(entry) ?? {}, environment) };
    }),
  );
}

function understand(entry: JsonObject, environment: HostEnvironment): Pick<HostServer, "config" | "problem"> {
  if (entry.type === "sse") return { problem: "it uses the old SSE transport, which this client does not support" };
  const missing = new Set<string>();
  const config = configOf(entry, (text) => {
    const expanded = expandVariables(text, environment);
    for (const name of expanded.missing) missing.add(name);
    return expanded.text;
  });
  if (config === undefined) return { problem: "it names neither a command nor a URL" };
  if (missing.size === 0) return { config };
  const names = [...missing].join(", ");
  return { problem: `it needs a value for ${names}: set it in the environment, or add the server by hand` };
}

function configOf(entry: JsonObject, expand: (text: string) => string): ServerConfig | undefined {
  const texts = (value: Json | undefined) => {
    const entries = Object.entries(asObject(value) ?? {}).filter(([, text]) => text !== null);
    return entries.length === 0
      ? undefined
      : Object.fromEntries(entries.map(([key, text]) => [key, expand(`${text}`)]));
  };
  if (typeof entry.command === "string") {
    const args = Array.isArray(entry.args) ? entry.args.map((word) => expand(String(word))) : [];
    return { command: expand(entry.command), args, env: texts(entry.env) };
  }
  const url = entry.url ?? entry.serverUrl;
  return typeof url === "string" ? { url: expand(url), headers: texts(entry.headers) } : undefined;
}

type Variables = Omit<HostEnvironment, "platform">;

/**
 * Fills in the variables that the four hosts know: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${userHome}`,
 * `${workspaceFolder}`; `missing` are the names of those without a value here. What a host asks its user for, as
 * `${input:key}`, is missing.
 */
export function expandVariables(text: string, variables: Variables): { text: string; missing: readonly string[] } {
  const missing: string[] = [];
  const expanded = text.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => {
    const value = lookUp(name, variables);
    if (value === undefined) missing.push(name);
    return value ?? whole;
  });
  return { text: expanded, missing };
}

function lookUp(name: string, { env, home, workingDirectory }: Variables): string | undefined {
  if (name === "userHome") return home;
  if (name === "workspaceFolder") return workingDirectory;
  if (name === "pathSeparator" || name === "/") return "/";
  const [, variableName, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(name) ?? [];
  return variableName === undefined ? undefined : (env[variableName] ?? fallback);
}

/** Whether this client has a host's server already, and whether it can use it. */
export function importState(client: Client, { config }: HostServer): "new" | "known" | "unusable" {
  if (config === undefined) return "unusable";
  return client.servers().some(({ address }) => address === serverAddress(config)) ? "known" : "new";
}

/** Takes one server over; one that is known already stays as it is. */
export async function takeServer(client: Client, server: HostServer): Promise<"added" | "known" | "unusable"> {
  const { name, host, config } = server;
  const state = importState(client, server);
  if (config === undefined || state !== "new") return state === "known" ? "known" : "unusable";
  // Two hosts may call different servers the same.
  const taken = client.servers().some((known) => known.name === name);
  await client.addServer(config, { name: taken ? `${name}-${host}` : name });
  return "added";
}
