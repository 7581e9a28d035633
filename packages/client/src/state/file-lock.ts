import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ClientError } from "../client-error.js";

/** A lock is held for a read and a write of a small file: one this old was left behind. */
const staleAfterMs = 10_000;
const retryDelayMs = 20;
const giveUpAfterAttempts = 1_000;

const lockOwner = z.object({ pid: z.number(), host: z.string(), token: z.string() });

/**
 * Runs an operation while no other process runs one under the same lock.
 *
 * A lock whose process is dead (on this machine), or which is older than 10 s, is taken away.
 *
 * @throws {@link ClientError} `STATE_LOCKED` when a living process keeps it for 20 s.
 */
export async function withFileLock<T>(path: string, operation: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  await acquire(path, token);
  try {
    return await operation();
  } finally {
    // A process that took the lock away as stale owns the file now.
    if ((await readOwner(path))?.token === token) await rm(path, { force: true });
  }
}

async function acquire(path: string, token: string): Promise<void> {
  const text = JSON.stringify({ pid: process.pid, host: hostname(), token });
  for (let attempt = 0; attempt < giveUpAfterAttempts; attempt += 1) {
    if (await createExclusively(path, text)) return;
    if (!(await takeAwayIfStale(path))) await delay(retryDelayMs);
  }
  throw new ClientError(
    "STATE_LOCKED",
    `Another program holds the lock ${path}. End that program, or delete the file if no such program runs.`,
  );
}

async function createExclusively(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(text).finally(() => file.close());
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Moves a stale lock aside by rename, which only one of several rescuers can do. */
async function takeAwayIfStale(path: string): Promise<boolean> {
  const [owner, age] = await Promise.all([readOwner(path), ageMs(path)]);
  if (age === undefined) return true;
  const dead = owner !== undefined && owner.host === hostname() && !isAlive(owner.pid);
  if (!dead && age < staleAfterMs) return false;
  const aside = `${path}.${randomUUID()}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, "ENOENT")) return true;
    throw error;
  }
  const moved = await readOwner(aside);
  // Between look and rename another rescuer may have made a lock of its own: it gets it back.
  if (moved?.token !== owner?.token) await rename(aside, path);
  else await rm(aside, { force: true });
  return moved?.token === owner?.token;
}

async function readOwner(path: string): Promise<z.infer<typeof lockOwner> | undefined> {
  try {
    return lockOwner.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function ageMs(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : Date.now() - found.mtimeMs;
}

/** Tells whether a process of this machine is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
