import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Json, Store } from "@resumable-mcp/core";
import { BoundedCache, deepFreeze } from "@resumable-mcp/core/internal";
import { type DocumentSummary, type StoredDocument, storeErrors } from "@resumable-mcp/core/store";
import { z } from "zod";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { FirstOf } from "../disk/first-of.js";
import { fileName, versionFiles } from "../disk/layout.js";
import { missing, newest } from "../disk/numbered-files.js";
import { quarantineFile } from "../disk/quarantine.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, linkUnlessTaken, listIfExists, readFrom, unlinkIfExists } from "../disk/whole-file.js";
import type { OwnerPlaces } from "./owner-places.js";

const documentSchema = z.object({
  kind: z.string(),
  id: z.string(),
  owner: z.string(),
  value: z.custom<Json>((value) => value !== undefined),
  version: z.number(),
  updatedAt: z.string(),
});

type PutRequest = Parameters<Store["putDocument"]>[0];

/**
 * Keeps each document in a folder of its own, below the folder of its kind, a file for each version: two that change the
 * same version cannot both get the next one.
 */
export class DocumentFiles {
  readonly #context: StoreContext;
  readonly #places: OwnerPlaces;
  /** By folder. */
  readonly #lastPutMs: BoundedCache<number>;

  constructor(context: StoreContext, places: OwnerPlaces) {
    this.#context = context;
    this.#places = places;
    const maxEntries = context.limits.maxKnownDocuments;
    this.#lastPutMs = new BoundedCache({ maxEntries, maxBytes: maxEntries });
  }

  async get(kind: string, id: string): Promise<StoredDocument | undefined> {
    return this.#readNewest(this.#folderOf(kind, id));
  }

  async put({ kind, id, owner, value, expectedVersion, counted, now }: PutRequest): Promise<StoredDocument> {
    const { disk, durable } = this.#context;
    const folder = this.#folderOf(kind, id);
    const isCounted = counted !== undefined && expectedVersion === 0;
    const endMaking = isCounted ? await this.#places.beginDocument(kind, counted, folder) : undefined;
    try {
      const before = versionFiles.list(disk, folder);
      if ((before.at(-1) ?? 0) !== expectedVersion) throw storeErrors.documentConflict(kind, id);
      const version = expectedVersion + 1;
      const document = { kind, id, owner, value, version, updatedAt: new Date(now.wallMs).toISOString() };
      const bytes = encodeLine(JSON.stringify(document));
      const draft = this.#draft(folder, bytes);
      // Content first: a loss of power must not take the version before and leave a name without content.
      if (durable) await this.#syncDraft(draft);
      const path = pathOf(folder, version);
      if (!this.#publish(draft, path)) throw storeErrors.documentConflict(kind, id);
      // Before the version before goes: a loss of power may take the one name and keep the removal of the other.
      if (durable) await this.#syncNames(path);
      // The writer that removes the version before has made the step from it: a deletion may have come first.
      if (expectedVersion > 0 && !unlinkIfExists(disk, pathOf(folder, expectedVersion))) {
        unlinkIfExists(disk, path);
        throw storeErrors.documentConflict(kind, id);
      }
      for (const older of before.slice(0, -1)) unlinkIfExists(disk, pathOf(folder, older));
      this.#notePut(document);
      return parseDocument(bytes) ?? document;
    } finally {
      endMaking?.();
    }
  }

  /** Writes a version without its number. The folder may be removed by a deletion at any moment before something is in it. */
  #draft(folder: string, bytes: Uint8Array): string {
    const { disk, unique } = this.#context;
    const draft = join(folder, `.draft.${unique()}`);
    for (;;) {
      disk.makeFolder(folder);
      try {
        createFile(disk, draft, bytes);
        return draft;
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
    }
  }

  #publish(draft: string, path: string): boolean {
    const { disk } = this.#context;
    try {
      return linkUnlessTaken(disk, draft, path);
    } finally {
      unlinkIfExists(disk, draft);
    }
  }

  async #syncDraft(draft: string): Promise<void> {
    const { disk, syncs } = this.#context;
    try {
      await syncs.sync(draft);
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
    const folder = this.#folderOf(kind, id);
    const list = () => versionFiles.list(disk, folder);
    for (let versions = list(); versions.length > 0; versions = list()) {
      for (const version of versions) unlinkIfExists(disk, pathOf(folder, version));
    }
    try {
      disk.removeFolder(folder);
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
    }
  }

  async listIdle(request: Parameters<Store["listIdleDocuments"]>[0]): Promise<readonly DocumentSummary[]> {
    const oldest = new FirstOf<DocumentSummary>(request.limit, byUpdate);
    const { limits } = this.#context;
    let read = 0;
    for (const folder of this.#foldersOf(request)) {
      // It can only have been put again since.
      if ((this.#lastPutMs.get(folder) ?? Number.NEGATIVE_INFINITY) >= request.idleSinceMs) continue;
      if (++read % limits.documentsPerTurn === 0) await nextTurn();
      const document = this.#readNewest(folder);
      if (document === undefined) continue;
      const putMs = this.#notePut(document);
      const { value: _, ...summary } = document;
      if (putMs < request.idleSinceMs) oldest.add(summary);
    }
    return oldest.items;
  }

  #foldersOf({ kind, group }: Parameters<Store["listIdleDocuments"]>[0]): readonly string[] {
    if (group !== undefined) return this.#places.foldersOf(kind, group);
    const parent = this.#kindFolder(kind);
    return (listIfExists(this.#context.disk, parent) ?? []).map((name) => join(parent, name));
  }

  /** All documents that can be read. */
  *all(): Generator<StoredDocument> {
    const { disk, layout } = this.#context;
    const pathsIn = (folder: string) => (listIfExists(disk, folder) ?? []).map((name) => join(folder, name));
    for (const folder of pathsIn(layout.documents).flatMap(pathsIn)) {
      const document = this.#readNewest(folder);
      if (document !== undefined) yield document;
    }
  }

  #notePut({ kind, id, updatedAt }: StoredDocument): number {
    const putMs = Date.parse(updatedAt);
    this.#lastPutMs.set(this.#folderOf(kind, id), putMs, 1);
    return putMs;
  }

  #kindFolder(kind: string): string {
    return join(this.#context.layout.documents, fileName(kind));
  }

  #folderOf(kind: string, id: string): string {
    return join(this.#kindFolder(kind), fileName(id));
  }

  /** A version that is damaged is set aside, and its document with it: the next put begins with version 1. */
  #readNewest(folder: string): StoredDocument | undefined {
    const { disk } = this.#context;
    const list = () => versionFiles.list(disk, folder);
    return newest(list, (version) => {
      const path = pathOf(folder, version);
      const bytes = readFrom(disk, path);
      const document = bytes && parseDocument(bytes);
      if (document !== undefined) return document;
      const name = `${basename(dirname(folder))}.${basename(folder)}.${version}.json`;
      if (bytes !== undefined) quarantineFile(this.#context, path, name, "a document is damaged");
      return missing;
    });
  }
}

/** Parses what a document's file says; `undefined` when it cannot be understood. */
export function parseDocument(bytes: Buffer): StoredDocument | undefined {
  return deepFreeze(documentSchema.safeParse(decodeWhole(bytes)).data);
}

function byUpdate(left: DocumentSummary, right: DocumentSummary): number {
  return left.updatedAt < right.updatedAt || (left.updatedAt === right.updatedAt && left.id < right.id) ? -1 : 1;
}

function pathOf(folder: string, version: number): string {
  return join(folder, versionFiles.nameOf(version));
}
