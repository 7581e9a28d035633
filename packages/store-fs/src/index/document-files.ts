import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Json, Store } from "@resumable-mcp/core";
import { deepFreeze, documentConflict, type StoredDocument } from "@resumable-mcp/core/store";
import { z } from "zod";
import { BoundedCache } from "../disk/bounded-cache.js";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { FirstOf } from "../disk/first-of.js";
import { fileName, versionFiles } from "../disk/layout.js";
import { draftFile, missing, newest } from "../disk/numbered-files.js";
import { quarantineFile } from "../disk/quarantine.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, readFrom, syncPath, unlinkIfExists } from "../disk/whole-file.js";

const documentSchema = z.object({
  kind: z.string(),
  id: z.string(),
  owner: z.string(),
  value: z.custom<Json>((value) => value !== undefined),
  version: z.number(),
  updatedAt: z.string(),
});

type Place = Pick<StoredDocument, "kind" | "id">;

/**
 * Keeps each document in a folder of its own, below the folder of its kind, a file for each version: two that change the
 * same version cannot both get the next one.
 */
export class DocumentFiles {
  readonly #context: StoreContext;
  /** By folder. */
  readonly #lastPutMs: BoundedCache<number>;

  constructor(context: StoreContext) {
    this.#context = context;
    const maxEntries = context.limits.maxKnownDocuments;
    this.#lastPutMs = new BoundedCache({ maxEntries, maxBytes: maxEntries });
  }

  async get(kind: string, id: string): Promise<StoredDocument | undefined> {
    return this.#readNewest(this.#folderOf({ kind, id }));
  }

  async put({
    kind,
    id,
    owner,
    value,
    expectedVersion,
    now,
  }: Parameters<Store["putDocument"]>[0]): Promise<StoredDocument> {
    const { disk, durable, unique } = this.#context;
    const place = { kind, id };
    const before = this.#versionsOf(place);
    if ((before.at(-1) ?? 0) !== expectedVersion) throw documentConflict(kind, id);
    const version = expectedVersion + 1;
    const document = { ...place, owner, value, version, updatedAt: new Date(now.wallMs).toISOString() };
    const bytes = encodeLine(JSON.stringify(document));
    const draft = draftFile(disk, this.#folderOf(place), { bytes, unique: unique() });
    // Content first: a loss of power must not take the version before and leave a name without content.
    if (durable) await this.#syncDraft(draft);
    const path = versionFiles.publish(disk, draft, version);
    if (path === undefined) throw documentConflict(kind, id);
    // Before the version before goes: a loss of power may take the one name and keep the removal of the other.
    if (durable) await this.#syncNames(path);
    // The writer that removes the version before has made the step from it: a deletion may have come first.
    if (expectedVersion > 0 && !unlinkIfExists(disk, this.#pathOf(place, expectedVersion))) {
      unlinkIfExists(disk, path);
      throw documentConflict(kind, id);
    }
    for (const older of before.slice(0, -1)) unlinkIfExists(disk, this.#pathOf(place, older));
    this.#notePut(document);
    return parseDocument(bytes) ?? document;
  }

  async #syncDraft(draft: string): Promise<void> {
    const { disk } = this.#context;
    try {
      await syncPath(disk, draft);
    } catch (error) {
      unlinkIfExists(disk, draft);
      throw error;
    }
  }

  async #syncNames(path: string): Promise<void> {
    const { disk, layout } = this.#context;
    const folder = dirname(path);
    try {
      await allDone([folder, dirname(folder), layout.documents].map((name) => disk.syncFolder(name)));
    } catch (error) {
      // It was deleted meanwhile.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  async delete(kind: string, id: string): Promise<void> {
    const { disk } = this.#context;
    const place = { kind, id };
    for (let versions = this.#versionsOf(place); versions.length > 0; versions = this.#versionsOf(place)) {
      for (const version of versions) unlinkIfExists(disk, this.#pathOf(place, version));
    }
    try {
      disk.removeFolder(this.#folderOf(place));
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
    }
  }

  async listIdle(request: Parameters<Store["listIdleDocuments"]>[0]): Promise<readonly StoredDocument[]> {
    const oldest = new FirstOf<StoredDocument>(request.limit, byUpdate);
    const { disk, limits } = this.#context;
    const parent = this.#kindFolder(request.kind);
    let read = 0;
    for (const name of listIfExists(disk, parent) ?? []) {
      const folder = join(parent, name);
      // It can only have been put again since.
      if ((this.#lastPutMs.get(folder) ?? Number.NEGATIVE_INFINITY) >= request.idleSinceMs) continue;
      if (++read % limits.documentsPerTurn === 0) await nextTurn();
      const document = this.#readNewest(folder);
      if (document === undefined) continue;
      const putMs = this.#notePut(document);
      if (putMs < request.idleSinceMs) oldest.add(document);
    }
    return oldest.items;
  }

  #notePut(document: StoredDocument): number {
    const putMs = Date.parse(document.updatedAt);
    this.#lastPutMs.set(this.#folderOf(document), putMs, 1);
    return putMs;
  }

  #versionsOf(place: Place): number[] {
    return versionFiles.list(this.#context.disk, this.#folderOf(place));
  }

  #kindFolder(kind: string): string {
    return join(this.#context.layout.documents, fileName(kind));
  }

  #folderOf({ kind, id }: Place): string {
    return join(this.#kindFolder(kind), fileName(id));
  }

  #pathOf(place: Place, version: number): string {
    return join(this.#folderOf(place), versionFiles.nameOf(version));
  }

  /** A version that is damaged is set aside, and its document with it: the next put begins with version 1. */
  #readNewest(folder: string): StoredDocument | undefined {
    const { disk, readOnly } = this.#context;
    const list = () => versionFiles.list(disk, folder);
    return newest(list, (version) => {
      const path = join(folder, versionFiles.nameOf(version));
      const bytes = readFrom(disk, path);
      const document = bytes && parseDocument(bytes);
      if (document !== undefined) return document;
      const name = `${basename(dirname(folder))}.${basename(folder)}.${version}.json`;
      if (bytes !== undefined && !readOnly) quarantineFile(this.#context, path, name, "a document is damaged");
      return missing;
    });
  }
}

/** Parses what a document's file says; `undefined` when it cannot be understood. */
export function parseDocument(bytes: Buffer): StoredDocument | undefined {
  return deepFreeze(documentSchema.safeParse(decodeWhole(bytes)).data);
}

function byUpdate(left: StoredDocument, right: StoredDocument): number {
  return left.updatedAt < right.updatedAt || (left.updatedAt === right.updatedAt && left.id < right.id) ? -1 : 1;
}
