import { readFile } from "node:fs/promises";
import type { Json, JsonObject, ServerConfig } from "@resumable-mcp/client";
import { type HostEnvironment, type HostName, hostFiles } from "@resumable-mcp/protocol/hosts";
import stripJsonComments from "strip-json-comments";
import { asObject } from "../command-line/tool-arguments.js";
import { expandVariables } from "./expand-variables.js";

/** A server that a host has configured. */
export interface HostServer {
  readonly host: HostName;
  readonly name: string;
  readonly file: string;
  /** Absent where this client cannot use it; `problem` says why. */
  readonly config?: ServerConfig;
  readonly problem?: string;
}

/** A file that is there and cannot be understood. */
export interface HostFileProblem {
  readonly file: string;
  readonly problem: string;
}

/** What the files of hosts hold. */
export interface HostServers {
  readonly servers: readonly HostServer[];
  readonly problems: readonly HostFileProblem[];
}

/** Files larger than this are none that a person has written. */
const maxFileBytes = 16 * 1024 * 1024;

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
    const problem = error instanceof Error ? error.message : String(error);
    return { servers: [], problems: absent ? [] : [{ file, problem }] };
  }
  const root = text.length > maxFileBytes ? undefined : parseWithComments(text);
  if (root === undefined) return { servers: [], problems: [{ file, problem: "it is not JSON, even with comments" }] };
  return { servers: parseHostServers(host, root, file, environment), problems: [] };
}

function parseWithComments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: Json = JSON.parse(stripJsonComments(text.replace(/^\uFEFF/, ""), { trailingCommas: true }));
    return asObject(value);
  } catch {
    return undefined;
  }
}

/** Reads the servers out of a host's file. Pure. */
export function parseHostServers(
  host: HostName,
  root: JsonObject,
  file: string,
  environment: HostEnvironment,
): readonly HostServer[] {
  const lists = [root[host === "vscode" ? "servers" : "mcpServers"]];
  // What Claude Code keeps for one project only.
  if (host === "claude-code") {
    const project = asObject(asObject(root.projects)?.[environment.workingDirectory]);
    lists.push(project?.mcpServers);
  }
  return lists.flatMap((list) =>
    Object.entries(asObject(list) ?? {}).map(([name, entry]) => ({
      host,
      name,
      file,
      ...toConfig(asObject(entry) ?? {}, environment),
    })),
  );
}

type Understood = Pick<HostServer, "config" | "problem">;

function toConfig(entry: JsonObject, environment: HostEnvironment): Understood {
  if (entry.type === "sse") return { problem: "it speaks the old SSE transport, which this client does not" };
  const missing = new Set<string>();
  const expand = (text: string) => {
    const expanded = expandVariables(text, environment);
    for (const name of expanded.missing) missing.add(name);
    return expanded.text;
  };
  const config = typeof entry.command === "string" ? stdioConfig(entry, expand) : httpConfig(entry, expand);
  if (config === undefined) return { problem: "it names neither a command nor a URL" };
  if (missing.size === 0) return { config };
  return {
    problem: `${[...missing].join(", ")} is not known here: set it in the environment, or add the server by hand`,
  };
}

function stdioConfig(entry: JsonObject, expand: (text: string) => string): ServerConfig {
  const args = Array.isArray(entry.args) ? entry.args.map((word) => expand(String(word))) : [];
  const env = texts(entry.env, expand);
  return { command: expand(String(entry.command)), args, ...(env === undefined ? {} : { env }) };
}

function httpConfig(entry: JsonObject, expand: (text: string) => string): ServerConfig | undefined {
  const url = entry.url ?? entry.serverUrl;
  if (typeof url !== "string") return undefined;
  const headers = texts(entry.headers, expand);
  return { url: expand(url), ...(headers === undefined ? {} : { headers }) };
}

function texts(value: Json | undefined, expand: (text: string) => string): Record<string, string> | undefined {
  const entries = Object.entries(asObject(value) ?? {}).filter(([, text]) => text !== null);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([key, text]) => [key, expand(String(text))]));
}
