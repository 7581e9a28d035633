import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Instant, type Json, ResumableError, type StoredSession } from "@resumable-mcp/core";
import { z } from "zod";
import { BoundedCache } from "../disk/bounded-cache.js";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { FirstOf } from "../disk/first-of.js";
import { deepFreeze } from "../disk/json.js";
import { fileName, versionFiles } from "../disk/layout.js";
import { missing, newest } from "../disk/numbered-files.js";
import { quarantineFile } from "../disk/quarantine.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, readFrom, unlinkIfExists } from "../disk/whole-file.js";

const sessionSchema = z.object({
  id: z.string(),
  owner: z.string(),
  value: z.custom<Json>((value) => value !== undefined),
  version: z.number(),
  updatedAt: z.string(),
});

interface PutRequest {
  readonly id: string;
  readonly owner: string;
  readonly value: Json;
  readonly expectedVersion: number;
  readonly now: Instant;
}

/**
 * Keeps each session in a folder of its own, a file for each version: two that change the same version cannot both get the next one.
 */
export class SessionFiles {
  readonly #context: StoreContext;
  /** By folder. */
  readonly #lastPutMs: BoundedCache<number>;

  constructor(context: StoreContext) {
    this.#context = context;
    const maxEntries = context.limits.maxKnownSessions;
    this.#lastPutMs = new BoundedCache({ maxEntries, maxBytes: maxEntries });
  }

  async get(id: string): Promise<StoredSession | undefined> {
    return this.#readNewest(this.#folderOf(id));
  }

  async put({ id, owner, value, expectedVersion, now }: PutRequest): Promise<StoredSession> {
    const { disk, durable } = this.#context;
    const before = this.#versionsOf(id);
    if ((before.at(-1) ?? 0) !== expectedVersion) throw conflict(id);
    const version = expectedVersion + 1;
    const session = { id, owner, value, version, updatedAt: new Date(now.wallMs).toISOString() };
    const bytes = encodeLine(JSON.stringify(session));
    const path = await this.#create(this.#folderOf(id), version, bytes);
    if (path === undefined) throw conflict(id);
    // Before the version before goes: a loss of power may take the one name and keep the removal of the other.
    if (durable) await this.#syncNames(path);
    // Whoever removes the version before has made the step from it: a deletion may have come first.
    if (expectedVersion > 0 && !unlinkIfExists(disk, this.#pathOf(id, expectedVersion))) {
      unlinkIfExists(disk, path);
      throw conflict(id);
    }
    for (const older of before.slice(0, -1)) unlinkIfExists(disk, this.#pathOf(id, older));
    this.#notePut(session);
    return parseSession(bytes) ?? session;
  }

  /** Content first: a loss of power must not take the version before and leave a name without content. */
  async #create(folder: string, version: number, bytes: Buffer): Promise<string | undefined> {
    const { disk, durable, unique } = this.#context;
    const whole = { bytes, unique: unique() };
    if (!durable) return versionFiles.create(disk, folder, version, whole);
    return await versionFiles.createSynced(disk, folder, version, whole);
  }

  async #syncNames(path: string): Promise<void> {
    const { disk, layout } = this.#context;
    try {
      await allDone([disk.syncFolder(dirname(path)), disk.syncFolder(layout.sessions)]);
    } catch (error) {
      // It was deleted meanwhile.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  async delete(id: string): Promise<void> {
    const { disk } = this.#context;
    for (let versions = this.#versionsOf(id); versions.length > 0; versions = this.#versionsOf(id)) {
      for (const version of versions) unlinkIfExists(disk, this.#pathOf(id, version));
    }
    try {
      disk.removeFolder(this.#folderOf(id));
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
    }
  }

  async listIdle(request: { readonly idleSinceMs: number; readonly limit: number }): Promise<readonly StoredSession[]> {
    const oldest = new FirstOf<StoredSession>(request.limit, byUpdate);
    const { disk, layout, limits } = this.#context;
    let read = 0;
    for (const name of listIfExists(disk, layout.sessions) ?? []) {
      // It can only have been put again since.
      if ((this.#lastPutMs.get(name) ?? Number.NEGATIVE_INFINITY) >= request.idleSinceMs) continue;
      if (++read % limits.sessionsPerTurn === 0) await nextTurn();
      const session = this.#readNewest(join(layout.sessions, name));
      if (session === undefined) continue;
      const putMs = this.#notePut(session);
      if (putMs < request.idleSinceMs) oldest.add(session);
    }
    return oldest.items;
  }

  #notePut({ id, updatedAt }: Pick<StoredSession, "id" | "updatedAt">): number {
    const putMs = Date.parse(updatedAt);
    this.#lastPutMs.set(fileName(id), putMs, 1);
    return putMs;
  }

  #versionsOf(id: string): number[] {
    return versionFiles.list(this.#context.disk, this.#folderOf(id));
  }

  #folderOf(id: string): string {
    return join(this.#context.layout.sessions, fileName(id));
  }

  #pathOf(id: string, version: number): string {
    return join(this.#folderOf(id), versionFiles.nameOf(version));
  }

  /** A version that is damaged is set aside, and its session with it: the client begins a new one. */
  #readNewest(folder: string): StoredSession | undefined {
    const { disk, readOnly } = this.#context;
    const list = () => versionFiles.list(disk, folder);
    return newest(list, (version) => {
      const path = join(folder, versionFiles.nameOf(version));
      const bytes = readFrom(disk, path);
      const session = bytes && parseSession(bytes);
      if (session !== undefined) return session;
      const name = `session.${basename(folder)}.${version}.json`;
      if (bytes !== undefined && !readOnly) quarantineFile(this.#context, path, name, "a session is damaged");
      return missing;
    });
  }
}

/** Parses what a session's file says; `undefined` when it cannot be understood. */
export function parseSession(bytes: Buffer): StoredSession | undefined {
  return deepFreeze(sessionSchema.safeParse(decodeWhole(bytes)).data);
}

function byUpdate(left: StoredSession, right: StoredSession): number {
  return left.updatedAt < right.updatedAt || (left.updatedAt === right.updatedAt && left.id < right.id) ? -1 : 1;
}

function conflict(sessionId: string): ResumableError {
  return new ResumableError(
    "SESSION_CONFLICT",
    `Session ${sessionId} was changed by somebody else meanwhile. Read it again and repeat the change.`,
    { details: { sessionId } },
  );
}
