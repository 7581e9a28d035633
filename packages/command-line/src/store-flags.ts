import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isResumableError } from "@resumable-mcp/core";
import { CommandError, cannotStartCode } from "./command-error.js";
import { oneOf, readDuration, shownName, wholeNumber } from "./flags.js";
import type { StdioValues } from "./options/server-options.js";

const urlShape = "postgres://user@host:5432/database";

type Durability = "machine" | "process";

/** Tasks in a folder of this machine. */
export interface FolderPlace {
  readonly directory: string;
  readonly durability: Durability | undefined;
}

/** Tasks in a PostgreSQL database: options of its store. */
export interface DatabasePlace {
  readonly connectionString: string;
  readonly password: (() => Promise<string>) | undefined;
  readonly schema: string | undefined;
  readonly durability: Durability | undefined;
  readonly limits: { readonly maxWriters?: number; readonly maxConnections?: number };
}

/**
 * Reads where tasks are.
 *
 * @throws {@link CommandError} that names the flag and what it takes, and shows no URL: it may hold a password.
 */
export function readStorePlace(flags: StdioValues, folder: string): FolderPlace | DatabasePlace {
  const text = flags.store;
  const durability =
    flags["store-durability"] === undefined
      ? undefined
      : oneOf("store-durability", flags["store-durability"], ["machine", "process"]);
  if (text === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    refuseDatabaseFlags(flags);
    return { directory: resolve(text ?? folder), durability };
  }
  if (!isDatabaseUrl(text)) throw new CommandError(`--store must be a folder, or a URL such as ${urlShape}.`, 2);
  return {
    connectionString: text,
    password: readPasswordFile(flags["store-password-file"], text),
    schema: flags["store-schema"],
    durability,
    limits: shareConnections(flags["store-connections"]),
  };
}

function refuseDatabaseFlags(flags: StdioValues): void {
  const given = (["store-password-file", "store-schema", "store-connections"] as const).find(
    (flag) => flags[flag] !== undefined,
  );
  if (given !== undefined)
    throw new CommandError(`${shownName(given)} is for a database. Give --store ${urlShape}.`, 2);
}

function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/** Whether a store is named by a URL with a password in it, which must not be written where others may read it. */
export function hasPassword(store: string | undefined): boolean {
  if (store === undefined || !isDatabaseUrl(store)) return false;
  if (/[?&]password=/i.test(store)) return true;
  try {
    return new URL(store).password !== "";
  } catch {
    // It may have been meant as one.
    return /:[^@]*@/.test(store);
  }
}

/** Takes a password in a URL out of the list of processes, which every user of the machine can read: a title replaces all arguments. */
export function hidePassword(program: string, store: string | undefined): void {
  if (hasPassword(store)) process.title = program;
}

/** The file is read again for each connection, so that the password may change. */
function readPasswordFile(file: string | undefined, url: string): DatabasePlace["password"] {
  if (file === undefined) return undefined;
  if (hasPassword(url)) {
    throw new CommandError(
      "--store has a password already. Remove it from the URL, or leave out --store-password-file.",
      2,
    );
  }
  try {
    readFileSync(file);
  } catch (error) {
    throw new CommandError(
      `The password file ${file} cannot be read (${codeOf(error)}). Check --store-password-file.`,
      1,
      error,
    );
  }
  return async () => (await readFile(file, "utf8")).replace(/\r?\n$/, "");
}

/** One connection is for notifications, at most two are for checkpoints. */
function shareConnections(text: string | undefined): DatabasePlace["limits"] {
  if (text === undefined) return {};
  const all = wholeNumber("store-connections", text, { min: 3, max: 1000 });
  const maxWriters = Math.min(2, all - 2);
  return { maxWriters, maxConnections: all - 1 - maxWriters };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/**
 * Loads the package for PostgreSQL, which is installed only where it is used; docs/decisions/0016.
 *
 * @throws {@link CommandError} that says how to install it. A supervisor does not start such a program again.
 */
export async function loadDatabasePackage<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    const text =
      "A store in PostgreSQL needs the package @resumable-mcp/store-postgres. Install it where this program is: npm install @resumable-mcp/store-postgres (with -g where the program was installed so).";
    throw new CommandError(text, cannotStartCode, error);
  }
}

const defaultWaitMs = 30_000;

/** @throws {@link CommandError} that says what the flag takes. */
export function readStoreWait(text: string | undefined): number {
  return readDuration("store-wait", text, { minMs: 0 }) ?? defaultWaitMs;
}

/** How long a start waits for a database that cannot be reached. */
export interface StoreWait {
  readonly waitMs: number;
  /** Whether an error of the store ends when the database can be reached again. */
  readonly isServerAway: (error: unknown) => boolean;
  /** Between two attempts. Default 1 s. */
  readonly pauseMs?: number;
}

/**
 * Opens what needs a database that may still be starting, or that goes away meanwhile. Anything else that is wrong ends the
 * wait at once.
 *
 * @param open is repeated: an attempt that failed must have begun nothing.
 * @throws what `open` throws.
 */
export async function openWhenReached(
  open: () => Promise<void>,
  { waitMs, isServerAway, pauseMs = 1_000 }: StoreWait,
  say: (sentence: string) => void,
): Promise<void> {
  const endMs = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (!isServerAway(error) || performance.now() + pauseMs > endMs) throw error;
      const why = isResumableError(error) ? error.message : String(error);
      if (isFirst) say(`${why} Waiting for it up to ${waitMs / 1_000} s.`);
      await sleep(pauseMs);
    }
  }
}
