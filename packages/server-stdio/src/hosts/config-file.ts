import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { copyFile, lstat, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "@resumable-mcp/command-line";
import { makeFolder } from "@resumable-mcp/documents";
import { installLimits } from "../limits.js";

/** A configuration file as it was read. */
export interface ConfigFile {
  /** Where it really is: behind its symbolic link, if it is one. */
  readonly path: string;
  /** Without a byte order mark; `undefined` when there is no such file. */
  readonly text: string | undefined;
  readonly hasMark: boolean;
  readonly mode: number;
}

const byteOrderMark = "\uFEFF";

/**
 * Reads a configuration file, by default one that is about to be changed.
 *
 * @throws {@link CommandError} when it cannot be changed safely: it is not a file, is read-only, too big, or not UTF-8.
 */
export async function readConfig(file: string, isChanged = true): Promise<ConfigFile> {
  if ((await unlessMissing(lstat(file))) === undefined)
    return { path: file, text: undefined, hasMark: false, mode: 0o600 };
  const path = await unlessMissing(realpath(file));
  if (path === undefined)
    throw new CommandError(`${file} is a symbolic link to a file that does not exist. Fix or remove it first.`);
  const facts = await stat(path);
  refuse(facts, path, isChanged);
  const text = decoded(await readFile(path), path);
  const hasMark = text.startsWith(byteOrderMark);
  return { path, text: hasMark ? text.slice(1) : text, hasMark, mode: facts.mode };
}

function refuse(facts: Stats, path: string, isChanged: boolean): void {
  if (!facts.isFile()) throw new CommandError(`${path} is not a file. Name another with --config.`);
  if (isChanged && (facts.mode & 0o222) === 0)
    throw new CommandError(`${path} is read-only. Make it writable first, if it is yours to change.`);
  const { maxConfigBytes } = installLimits;
  if (facts.size > maxConfigBytes)
    throw new CommandError(`${path} has more than ${maxConfigBytes} bytes. It was left as it is: change it by hand.`);
}

function decoded(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${path} is not valid UTF-8 text. It was left as it is.`, 1, cause);
  }
}

/**
 * Replaces a configuration file in one step: a reader sees the old or the new text, never a part.
 *
 * Durability: the new text is on the disk before it takes the old one's place.
 * @throws {@link CommandError} when another program has changed the file since it was read.
 */
export async function writeConfig(file: ConfigFile, text: string): Promise<void> {
  const { path, hasMark, mode } = file;
  makeFolder(dirname(path), 0o777);
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
  const handle = await open(temporary, "wx", mode & 0o777);
  try {
    await handle.chmod(mode & 0o777);
    await handle.writeFile(`${hasMark ? byteOrderMark : ""}${text}`);
    await handle.sync();
    await handle.close();
    await checkUnchanged(file);
    await rename(temporary, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes a configuration file that nothing but this program has made. */
export async function deleteConfig(file: ConfigFile): Promise<void> {
  await checkUnchanged(file);
  await rm(file.path);
}

async function checkUnchanged(file: ConfigFile): Promise<void> {
  const now = await readConfig(file.path);
  if (now.text === file.text) return;
  throw new CommandError(`${file.path} was changed by another program meanwhile. It was left as it is: try again.`);
}

/** Copies a file to the first backup name that is free. Gives that name. */
export async function backUp({ path }: ConfigFile): Promise<string> {
  for (let number = 1; number <= installLimits.maxBackups; number++) {
    const backup = backupName(path, number);
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  throw new CommandError(`${path} has ${installLimits.maxBackups} backups already. Remove some of them first.`);
}

/** The backups of a file, newest first. */
export async function findBackups({ path }: ConfigFile): Promise<readonly ConfigFile[]> {
  const found: ConfigFile[] = [];
  for (let number = 1; number <= installLimits.maxBackups; number++) {
    const name = backupName(path, number);
    if ((await unlessMissing(lstat(name))) !== undefined) found.unshift(await readConfig(name));
  }
  return found;
}

function backupName(path: string, number: number): string {
  return `${path}.resumable-mcp-backup-${number}`;
}

async function unlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
