import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { controlToolFacts } from "@resumable-mcp/protocol";
import type { RepeatRules } from "./call/plan.js";
import { wrapLimits } from "./limits.js";
import { type ServerCommand, startProcess } from "./upstream/child-process.js";
import { connectHttp, type ServerUrl } from "./upstream/http-wire.js";
import { ConnectionLost } from "./upstream/peer.js";
import { WrappedServer } from "./upstream/wrapped-server.js";

export { checkpointExtension, resumeKey } from "./call/checkpoint.js";
export { wrapLimits } from "./limits.js";
export type { ServerCommand } from "./upstream/child-process.js";
export type { ServerUrl } from "./upstream/http-wire.js";

/** How a server is wrapped. */
export interface WrapRules extends Partial<RepeatRules> {
  /** Names the server in the store. Default: a name made of its command. */
  readonly name?: string;
  /** One process for all owners; else each has its own. Default false. */
  readonly shared?: boolean;
  /** Hears what happens to the server, in sentences for people. Default: none is heard. */
  readonly onNote?: (sentence: string) => void;
}

/** A server, which is started or reached, and how it is wrapped. */
export type WrapOptions = WrapRules & (ServerCommand | ServerUrl);

/**
 * Wraps a server of any language: its tools become tools of an engine, each call one task. Everything else that it offers passes
 * through.
 *
 * Resolves when its tools are known, or after `firstListMs`, where it is away; its tools are then listed as they were last.
 *
 * @throws an error that says why the server's program cannot be started.
 * @example
 * const definition = await wrap({ command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"] });
 */
export async function wrap(options: WrapOptions): Promise<ServerDefinition> {
  const { trustAnnotations = false, repeat = {}, shared = false, onNote = () => {}, name = nameOf(options) } = options;
  const open = "url" in options ? connectHttp(options) : startProcess(options, onNote);
  const upstream = new WrappedServer({ name, trustAnnotations, repeat, shared, onNote, open });
  await firstList(upstream, onNote);
  const { facts } = upstream;
  const { name: ownName = name, version = "0", instructions } = facts ?? {};
  return {
    name: ownName,
    version,
    ...(instructions !== undefined && { instructions }),
    tools: upstream.tools,
    prefix: prefixFor(upstream.tools),
    upstream,
  };
}

/** Names a server by its program, or by the package or file that its program runs, and by all words of its command; or by its URL. */
export function nameOf(server: ServerCommand | ServerUrl): string {
  const words = "url" in server ? [server.url] : [server.command, ...(server.args ?? [])];
  const runners = /^(npx|uvx|uv|pnpm|yarn|bunx|node|deno|python3?|docker|run|dlx|exec)$/;
  const subject =
    words.find((word) => !word.startsWith("-") && !runners.test(word.split("/").at(-1) ?? "")) ?? words[0];
  const plain =
    "url" in server ? new URL(server.url).hostname : (subject?.split("/").at(-1)?.replace(/@.*$/, "") ?? "");
  const hash = createHash("sha256").update(JSON.stringify(words)).digest("hex").slice(0, 8);
  return `${plain.replace(/[^\w.-]/g, "-").slice(0, 40) || "server"}-${hash}`;
}

async function firstList(upstream: WrappedServer, onNote: (sentence: string) => void): Promise<void> {
  const started = upstream.start(AbortSignal.timeout(wrapLimits.waitMs));
  try {
    await Promise.race([started, pause(wrapLimits.firstListMs, undefined, { ref: false })]);
  } catch (error) {
    if (error instanceof ConnectionLost && error.cannotStart) {
      await upstream.close();
      throw error;
    }
    onNote(`The server is not there yet: ${error instanceof Error ? error.message : String(error)}`);
  }
  started.catch(() => {});
}

/** Where the server has a tool of the name of one of ours. */
function prefixFor(tools: ServerDefinition["tools"]): string {
  return tools.some(({ name }) => Object.hasOwn(controlToolFacts, name)) ? "resumable_" : "";
}
