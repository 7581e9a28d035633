import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import type { Seen } from "./seen.js";
import type { Place } from "./server-under-test.js";

/** A client that we did not write, as its users use it. */
export interface ClientKind {
  readonly name: string;
  /** It passes the progress of a call on to its user, who is to see all of it. */
  readonly tellsProgress?: true;
  open(place: Place, hooks?: ClientHooks): Promise<OpenClient>;
}

/** What a client's user does. */
export interface ClientHooks {
  /** Answers a question; without this the client cannot ask its user. */
  readonly onQuestion?: (message: string) => Promise<UserAnswer>;
}

/** An answer to a form. */
export interface UserAnswer {
  readonly action: "accept";
  readonly content: { readonly name: string };
}

/** A client that is connected. */
export interface OpenClient {
  /**
   * Calls a tool, and notes what its user sees on the way.
   *
   * @param patienceMs how long the client waits when it hears nothing, if it has such a limit.
   */
  call(tool: string, input: ToolInput, seen: Seen, patienceMs?: number): Promise<ToolAnswer>;
  /** Continues the last call after it failed, where the client's library has a way of its own to do so. */
  recover?(seen: Seen): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** The arguments of a call. */
export interface ToolInput {
  readonly [name: string]: string | number | string[] | { readonly name: string };
}

/** The part of a result that is looked at. */
export interface ToolAnswer {
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** What every client here says of itself: no host with a known time limit. */
export const clientInfo = { name: "table-of-clients", version: "1.0.0" };

/** After this time a call counts as lost, in milliseconds; the SDKs' own limit is a minute. */
export const callTimeoutMs = 30_000;

/** Makes a transport to the server, of an SDK's classes; the log of a server over stdio is not read here. */
export function transportTo<Http, Stdio>(
  place: Place,
  HttpTransport: new (url: URL, options: { requestInit: RequestInit }) => Http,
  StdioTransport: new (options: { command: string; args: string[]; stderr: "ignore" }) => Stdio,
): Http | Stdio {
  if (place.over === "stdio") {
    return new StdioTransport({ command: place.command, args: [...place.args], stderr: "ignore" });
  }
  return new HttpTransport(place.url, { requestInit: { headers: { authorization: `Bearer ${place.token}` } } });
}

const manifest = z.object({ version: z.string() });

/** The version of an installed package, to the minor: patches do not make another client. */
export function versionOf(name: string): string {
  // Not every package lets its manifest be resolved.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => `${folder}/${name}/package.json`).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${name} is not installed. Run: npm run bootstrap`);
  const { version } = manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  return version.split(".").slice(0, 2).join(".");
}
