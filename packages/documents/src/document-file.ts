import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { Low } from "lowdb";
import type { ZodType } from "zod";
import { type DocumentDisk, nodeDocumentDisk } from "./document-disk.js";
import { formatDocument, parseDocument, readText, unlinkIfExists, writeAll } from "./document-text.js";

/** A file that does not hold a document of its schema. */
export interface DocumentDamage {
  readonly path: string;
  /** What is wrong, without a word of what the file holds: it may be secret. */
  readonly problem: string;
  readonly text: string;
}

/** Where a document is, what it has to be, and what a write of it survives. */
export interface DocumentOptions<Document> {
  readonly path: string;
  /** Checked after reading and before writing. */
  readonly schema: ZodType<Document>;
  /** Called when a file does not fit the schema: moves the file out of the way, or throws. */
  readonly onDamage: (damage: DocumentDamage) => void | Promise<void>;
  /**
   * - `name` (default): a write that has resolved survives the loss of power
   * - `none`: a write survives the death of the process; a loss of power may leave a damaged document
   */
  readonly sync?: "none" | "name";
  /** Asked directly before the document is replaced, when all of the new one is written: false leaves the old one. */
  readonly mayReplace?: () => boolean;
  /** The permissions of a file that is made. Readable and writable by its owner only by default. */
  readonly mode?: number;
  readonly disk?: DocumentDisk;
  /** Makes a name that no other writer makes. */
  readonly createName?: () => string;
}

/**
 * Keeps one JSON document in one file, for lowdb.
 *
 * A write makes a file of a name of its own, syncs it, and renames it into place: readers see the whole old document or
 * the whole new one, also after a crash at any moment and with several processes that write.
 * A file that does not fit the schema is never overwritten: `onDamage` has to move it first.
 *
 * Several writers replace each other's documents: a change of what is there needs a lock around reading and writing.
 */
export class DocumentFile<Document> {
  readonly #options: Required<Omit<DocumentOptions<Document>, "mayReplace">> & DocumentOptions<Document>;
  /** What stands in the file is known to be a document, or the file to be missing. */
  #isKnown = false;

  constructor(options: DocumentOptions<Document>) {
    const { sync = "name", mode = 0o600, disk = nodeDocumentDisk, createName = randomUUID } = options;
    this.#options = { ...options, sync, mode, disk, createName };
  }

  /** Reads the document; `null` when there is none, or only white space. */
  async read(): Promise<Document | null> {
    const { path, schema, disk, onDamage } = this.#options;
    const text = readText(disk, path);
    const found = text === undefined || text.trim() === "" ? undefined : parseDocument(schema, text);
    if (text !== undefined && found !== undefined && "problem" in found) {
      await onDamage({ path, problem: found.problem, text });
      if (disk.stat(path) !== undefined)
        throw new Error(`${path} is damaged (${found.problem}); it was left as it is.`);
    }
    this.#isKnown = true;
    return found !== undefined && "document" in found ? found.document : null;
  }

  /** Replaces the document. @throws a `TypeError` for one that does not fit the schema: nothing is written. */
  async write(document: Document): Promise<void> {
    const { path, schema, disk, sync, mayReplace } = this.#options;
    const text = formatDocument(schema, document, path);
    if (!this.#isKnown) await this.read();
    const draft = join(dirname(path), `.draft.${this.#options.createName()}`);
    try {
      await this.#writeDraft(draft, text);
      if (mayReplace?.() === false) return unlinkIfExists(disk, draft);
      disk.rename(draft, path);
    } catch (error) {
      unlinkIfExists(disk, draft);
      throw error;
    }
    if (sync === "name") await disk.syncFolder(dirname(path));
  }

  async #writeDraft(draft: string, text: string): Promise<void> {
    const { disk, mode, sync } = this.#options;
    const file = disk.open(draft, "wx", mode);
    try {
      writeAll(disk, file, Buffer.from(text));
      if (sync === "name") await disk.syncData(file);
    } finally {
      disk.close(file);
    }
  }
}

/** A document that was read: as it is in memory, and what reads and writes it. */
export interface OpenDocument<Document> {
  data: Document;
  read(): Promise<void>;
  write(): Promise<void>;
  /** Changes the document and writes it. */
  update(change: (data: Document) => unknown): Promise<void>;
}

/**
 * Opens a document and reads it: `data` is what the file holds, or `initial` where there is none.
 *
 * @example
 * ```ts
 * const settings = await openDocument({ path, schema, onDamage }, { theme: "dark" });
 * await settings.update((data) => { data.theme = "light"; });
 * ```
 */
export async function openDocument<Document>(
  options: DocumentOptions<Document>,
  initial: Document,
): Promise<OpenDocument<Document>> {
  const document = new Low(new DocumentFile(options), initial);
  await document.read();
  return document;
}
