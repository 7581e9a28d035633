import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { LowSync, type SyncAdapter } from "lowdb";
import { nodeDocumentDisk } from "./document-disk.js";
import type { DocumentOptions } from "./document-file.js";
import { formatDocument, parseDocument, readText, unlinkIfExists, writeAll } from "./document-text.js";

/** Where a document is that is written once, and what it has to be. */
export type FirstDocumentOptions<Document> = Pick<
  DocumentOptions<Document>,
  "path" | "schema" | "mode" | "disk" | "createName"
> & {
  /** The content is synced before the document gets its name. The caller syncs the name where it needs that. */
  readonly sync: "none" | "content";
  /** Called when a file does not fit the schema, or is empty: moves the file out of the way, or throws. */
  readonly onDamage: (damage: { readonly path: string; readonly problem: string; readonly text: string }) => void;
};

/**
 * Keeps one JSON document in a file that is written once, for the half of lowdb that waits for nothing: while it is
 * read and written nothing else of this process happens.
 *
 * Of several processes that write it, one does: a write fails with `EEXIST` when there is a file of that name.
 */
export class FirstDocumentFile<Document> implements SyncAdapter<Document> {
  readonly #options: Required<FirstDocumentOptions<Document>>;

  constructor(options: FirstDocumentOptions<Document>) {
    const { mode = 0o600, disk = nodeDocumentDisk, createName = randomUUID } = options;
    this.#options = { ...options, mode, disk, createName };
  }

  /** Reads the document; `null` when there is none. */
  read(): Document | null {
    const { path, schema, disk, onDamage } = this.#options;
    const text = readText(disk, path);
    if (text === undefined) return null;
    const found = parseDocument(schema, text);
    if ("document" in found) return found.document;
    onDamage({ path, problem: found.problem, text });
    return null;
  }

  /** Writes the document. @throws an error with the code `EEXIST` when there is one. */
  write(document: Document): void {
    const { path, schema, disk, createName } = this.#options;
    const text = formatDocument(schema, document, path);
    const draft = join(dirname(path), `.draft.${createName()}`);
    try {
      this.#writeDraft(draft, text);
      disk.link(draft, path);
    } finally {
      unlinkIfExists(disk, draft);
    }
  }

  #writeDraft(draft: string, text: string): void {
    const { disk, mode, sync } = this.#options;
    const file = disk.open(draft, "wx", mode);
    try {
      writeAll(disk, file, Buffer.from(text));
      if (sync === "content") disk.syncDataNow(file);
    } finally {
      disk.close(file);
    }
  }
}

/**
 * Writes a document that is written once.
 *
 * @returns false when there is a file of that name: another process was faster.
 */
export function writeFirstDocument<Document>(options: FirstDocumentOptions<Document>, document: Document): boolean {
  try {
    new LowSync(new FirstDocumentFile(options), document).write();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
