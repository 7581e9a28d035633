import { parseArgs } from "node:util";
import { ResumableError } from "@resumable-mcp/core";

/** Takes the command line apart. */
export function parseCommand(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      store: { type: "string", default: ".resumable-mcp" },
      "store-password-file": { type: "string" },
      "store-schema": { type: "string" },
      keyring: { type: "string" },
      json: { type: "boolean", default: false },
      version: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      owner: { type: "string" },
      status: { type: "string", multiple: true },
      "max-store-tasks": { type: "string" },
      "max-store-bytes": { type: "string" },
      "min-free-disk": { type: "string" },
      "max-unfinished-per-owner": { type: "string", multiple: true },
      limit: { type: "string", default: "50" },
      cursor: { type: "string" },
      events: { type: "boolean", default: false },
      items: { type: "boolean", default: false },
      apply: { type: "boolean", default: false },
      "older-than": { type: "string" },
      to: { type: "string", default: "-" },
      tools: { type: "string" },
      "tool-version": { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
  });
}

/** The options of a command. */
export type CommandOptions = ReturnType<typeof parseCommand>["values"];

/** A result for scripts, the same for people as lines, and whether all is well. */
export interface CommandResult {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly ok: boolean;
  /** Standard output holds the data: what is said about it goes to standard error. */
  readonly isAside?: boolean;
}

/** Where a command reads and writes. */
export interface Console {
  /** Writes a text, with a newline, to standard output, or to standard error. */
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Writes data to standard output. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly input: AsyncIterable<Uint8Array>;
}

/** An option that does not have a value that it can have. */
export function wrong(option: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}
