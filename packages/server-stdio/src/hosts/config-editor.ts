import type { CommandError } from "@resumable-mcp/command-line";
import type { Values } from "./edited-text.js";

/** Where a server stands in a configuration file: under its name in the property of all servers. */
export interface ServerPlace {
  readonly key: string;
  /** A property of that one which has the servers instead, where the file has it: JSON alone. */
  readonly deeperKey?: string | undefined;
  readonly name: string;
}

/** A server as a configuration file holds it. */
export interface PlacedServer extends ServerPlace {
  readonly entry: object;
  /** What the host wants in a file that has nothing yet. */
  readonly needs?: object;
}

/**
 * Changes the text of a configuration file. Everything but the server stays as it is, comments, order and indentation included.
 * Pure. Each function throws a {@link CommandError} for a text that is not what a configuration file is, and for one that it
 * cannot change without touching more: nothing is guessed.
 */
export interface ConfigEditor {
  /** Adds a server, or changes it. A text that holds it already is given back. */
  set(text: string, server: PlacedServer, file: string): string;
  /** Takes a server out; `undefined` when it does not stand there. */
  remove(text: string, place: ServerPlace, file: string): string | undefined;
  /** The servers that stand there now, by their names. */
  servers(text: string, place: Omit<ServerPlace, "name">, file: string): Values;
}
