import type { HostName } from "@resumable-mcp/protocol/hosts";
import type { Place } from "../clients/server-under-test.js";

/** What one run of a host is set up with. */
export interface Setting {
  /** The host's home folder: it writes nowhere else. */
  readonly home: string;
  /** The Node that a host of JavaScript runs with. */
  readonly node: string;
  /** Where our server is. */
  readonly place: Place;
  /** Where the scripted model is, without a path. */
  readonly modelUrl: string;
  /** How long the host waits for a call. */
  readonly limitSeconds: number;
}

/** How a host is started, without a person. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What has to stand in its home folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The same without our server, of a host that lists no servers: `install` adds it. */
  readonly bare?: Readonly<Record<string, string>>;
  /** The file with our server, where it is another one than `install` finds. */
  readonly config?: string;
}

/** A host that its maker publishes on npm: all that is known of one, in one file. */
export interface Host {
  /** As `install` calls it. */
  readonly name: HostName;
  readonly package: string;
  /** It does not run with the oldest Node that this repository supports. */
  readonly newerNode?: true;
  /** Its license is its maker's own: it runs only where it is named. */
  readonly onlyNamed?: true;
  /** How long it waits by itself for a call, where that is longer than others do. */
  readonly ownLimitSeconds?: number;
  /** Rows that its design forbids over a transport, such as `HTTP kill-tool`, and why. */
  readonly cannot?: Readonly<Record<string, string>>;
  /** The words by which it lists the servers that it knows, of those that start it with a prompt. */
  lists?(args: Launch["args"]): readonly string[];
  /** Starts it with one prompt. @param folder is what npm installed into. */
  launch(folder: string, setting: Setting, prompt: string): Launch;
}

/** The name of our server in a host's configuration. */
export const serverName = "resumable";
