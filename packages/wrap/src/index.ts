import { createHash } from "node:crypto";
import { inTime } from "@resumable-mcp/core/internal";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { controlToolFacts, toText } from "@resumable-mcp/protocol";
import { mayRepeat, type RepeatRules } from "./call/plan.js";
import { wrapLimits } from "./limits.js";
import { CallerEras } from "./upstream/caller-eras.js";
import { type ServerCommand, startProcess } from "./upstream/child-process.js";
import { Connection, EndedByDiscovery, type ServerFacts } from "./upstream/connection.js";
import { connectHttp, type ServerUrl } from "./upstream/http-wire.js";
import { JoinedServers, type NamedServer } from "./upstream/joined-servers.js";
import { ConnectionLost } from "./upstream/peer.js";
import { WrappedServer } from "./upstream/wrapped-server.js";

export type { ServerCommand } from "./upstream/child-process.js";
export type { ServerUrl } from "./upstream/http-wire.js";

/** How a server is wrapped. */
interface WrapRules extends Partial<RepeatRules> {
  /** Names the server in the store. Default: a name made of its command. */
  readonly name?: string;
  /** One process for all owners; else each has its own. Default false. */
  readonly shared?: boolean;
  /** Headers of callers, in lower case, that calls of a server by URL take along, and that are not stored. Not how a caller signs in. */
  readonly passHeaders?: readonly string[];
  /** Hears what happens to the server, in sentences for people. Default: none is heard. */
  readonly onNote?: (sentence: string) => void;
}

/** Several servers, each by the name that stands before its tools where another has one of the same name. */
export interface NamedServers {
  readonly servers: Readonly<Record<string, ServerCommand | ServerUrl>>;
}

/** A server, which is started or reached, or several, and how they are wrapped. */
export type WrapOptions = WrapRules & (ServerCommand | ServerUrl | NamedServers);

/**
 * Wraps a server of any language, or several: their tools become tools of an engine, each call one task. Everything else that they
 * offer passes through.
 *
 * Resolves when the tools are known, or after `firstListMs`; those of a server that is away are then listed as they were last.
 *
 * @throws an error that says why the server's program cannot be started, where none can be.
 * @example
 * const definition = await wrap({ command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"] });
 */
export async function wrap(options: WrapOptions): Promise<ServerDefinition> {
  const { name = nameOf(options) } = options;
  const servers = makeServers(options, name);
  const [only] = servers;
  const upstream = "servers" in options || only === undefined ? new JoinedServers(servers) : only.server;
  const missing = await Promise.all(servers.map((each) => firstList(each, servers.length === 1)));
  if (only !== undefined && missing.every((why) => why instanceof ConnectionLost && why.cannotStart)) {
    await upstream.close();
    throw missing[0];
  }
  for (const [index, why] of missing.entries()) if (why !== undefined) servers[index]?.server.note(why.message);
  const facts = (): Partial<ServerFacts> => upstream.facts ?? {};
  let prefix = prefixFor(upstream.tools);
  upstream.watch(({ method }) => {
    if (method === "notifications/tools/list_changed") prefix = prefixFor(upstream.tools);
  });
  // As it is then: the server may answer late, or be another version later.
  return {
    upstream,
    get name() {
      return facts().name ?? name;
    },
    get version() {
      return facts().version ?? "0";
    },
    get instructions() {
      return facts().instructions;
    },
    get tools() {
      return upstream.tools;
    },
    get prefix() {
      return prefix;
    },
  };
}

/**
 * Starts a server once, and reads which of its tools say that they only read, or that they may be called twice.
 *
 * @throws an error that says why it did not answer.
 */
export async function repeatableTools(server: ServerCommand): Promise<readonly string[]> {
  const open = startProcess(server, () => {});
  const { firstStartMs: startMs } = wrapLimits;
  const openAs = (era: "2026" | "only 2025") =>
    Connection.open(open, () => {}, new AbortController().signal, { era, startMs });
  const connection = await openAs("2026").catch((error: unknown) => {
    if (error instanceof EndedByDiscovery) return openAs("only 2025");
    throw error;
  });
  const trusted = { trustAnnotations: true, repeat: {} };
  const tools = connection.facts.tools.filter((entry) => mayRepeat(entry, trusted));
  await connection.close();
  return tools.map(({ name }) => toText(name));
}

/** Names a server by its program, or by the package or file that its program runs, and by all words of its command; or by its URL. */
export function nameOf(server: ServerCommand | ServerUrl | NamedServers, key?: string): string {
  if ("servers" in server) return nameOf({ command: Object.keys(server.servers).join("-") });
  const words = "url" in server ? [server.url] : [server.command, ...(server.args ?? [])];
  const runners = /^(npx|uvx|uv|pnpm|yarn|bunx|node|deno|python3?|docker|run|dlx|exec)$/;
  const subject =
    words.find((word) => !word.startsWith("-") && !runners.test(word.split("/").at(-1) ?? "")) ?? words[0];
  const plain =
    key ?? ("url" in server ? new URL(server.url).hostname : subject?.split("/").at(-1)?.replace(/@.*$/, "")) ?? "";
  const all = key === undefined ? words : [key, ...words];
  const hash = createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 8);
  return `${plain.replace(/[^\w.-]/g, "-").slice(0, 40) || "server"}-${hash}`;
}

/** What signs a caller in, and what belongs to one connection or to the protocol. */
const neverPassed =
  /^(authorization|cookie|dpop|host|connection|expect|te|trailer|upgrade|(accept|content|keep|last|mcp|origin|proxy|transfer)\b.*)$/;

function makeServers(options: WrapOptions, name: string): readonly NamedServer[] {
  const { trustAnnotations = false, repeat = {}, shared = false, passHeaders = [], onNote = () => {} } = options;
  const wrong = passHeaders.find((header) => !/^[a-z\d_-]+$/.test(header) || neverPassed.test(header));
  if (wrong !== undefined) throw new Error(`${wrong} is not a header that may be passed on: name one of your own.`);
  const rules = { trustAnnotations, repeat, shared, eras: new CallerEras(), onCall: () => keepAll() };
  const make = (server: ServerCommand | ServerUrl, own: string, note: (sentence: string) => void) =>
    new WrappedServer({
      ...{ ...rules, name: own, onNote: note },
      passes: "url" in server ? passHeaders : [],
      open: "url" in server ? connectHttp(server) : startProcess(server, note),
    });
  const made =
    "servers" in options
      ? Object.entries(options.servers).map(([key, server]) => ({
          key,
          server: make(server, nameOf(server, key), (sentence) => onNote(`${key}: ${sentence}`)),
        }))
      : [{ key: "", server: make(options, name, onNote) }];
  // The names of a server's tools depend on those of the others, also after a restart.
  const keepAll = () => {
    for (const { server } of made) server.keep();
  };
  return made;
}

/** Resolves to why the server's tools are not known: after a time, or where others wait for it at once. It is tried again then. */
async function firstList({ server }: NamedServer, isAlone: boolean): Promise<Error | undefined> {
  const started = server.start().then(() => undefined, toError);
  const first = isAlone ? started : Promise.race([started, server.failed]);
  return inTime(first, wrapLimits.firstListMs, () => new Error("The server is not there yet."));
}

/** Where the server has a tool of the name of one of ours. */
function prefixFor(tools: ServerDefinition["tools"]): string {
  return tools.some(({ name }) => Object.hasOwn(controlToolFacts, name)) ? "resumable_" : "";
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
