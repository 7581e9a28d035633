import { isResumableError, type Json, ResumableError } from "@resumable-mcp/core";
import type { CountedGroup, Documents, StoredDocument } from "@resumable-mcp/core/store";
import { z } from "zod";
import { limits } from "../../limits.js";

/** Documents of the store of one kind, and how their values are read. */
export interface DocumentKind<Value> {
  readonly kind: string;
  /** @throws when the value is not one of this kind. */
  readonly read: (value: Json) => Value;
}

/** Another version may have written it, which may still serve it: it stays as it is. */
function readValue<Value>({ kind, read }: DocumentKind<Value>, { id, value }: StoredDocument): Value {
  try {
    return read(value);
  } catch (cause) {
    const message = `The ${kind} ${id} in the store cannot be read by this version of the server: ${problemOf(cause)}. It is left as it is, and expires like others; its client gets status 404 and opens another.`;
    throw new ResumableError("DOCUMENT_UNREADABLE", message, { details: { kind, id }, cause });
  }
}

/** What does not fit, by its place. No value is part of it. */
function problemOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return "it has another form";
  const [{ path, message } = { path: [], message: "it has another form" }] = error.issues;
  return `${path.length === 0 ? "the value" : path.join(".")}: ${message}`;
}

type Change<Value> = (value: Value) => Value;

/**
 * What this process knows of one document of the store, and the changes that it makes to it.
 *
 * Durability: `change` resolves when the change is durable; changes made at once share one write. `note` waits for the
 * next write, or for a time. Ordering: as made. Another process may write the same document: changes are made again on what it left.
 */
export class KeptDocument<Value> {
  readonly id: string;
  readonly owner: string;
  readonly #kind: DocumentKind<Value>;
  readonly #documents: Documents;
  readonly #counted: CountedGroup | undefined;
  #stored: Value;
  #version: number;
  #pending: Change<Value>[] = [];
  #writing: Promise<void> | undefined;
  #flushing: NodeJS.Timeout | undefined;
  /** When it was put last, as far as this process knows, in monotonic milliseconds. */
  writtenMs = performance.now();

  /** @param stored where it is not in the store yet: its first change puts it there. */
  constructor(
    kind: DocumentKind<Value>,
    documents: Documents,
    { id, owner, counted }: Pick<StoredDocument, "id" | "owner"> & { readonly counted?: CountedGroup },
    stored: { readonly value: Value; readonly version: number },
  ) {
    this.#kind = kind;
    this.#documents = documents;
    this.id = id;
    this.owner = owner;
    this.#counted = counted;
    this.#stored = stored.value;
    this.#version = stored.version;
  }

  /** @throws {@link ResumableError} `DOCUMENT_UNREADABLE`, as all that reads it again. */
  static async open<Value>(
    kind: DocumentKind<Value>,
    documents: Documents,
    id: string,
  ): Promise<KeptDocument<Value> | undefined> {
    const document = await documents.getDocument(kind.kind, id);
    if (document === undefined) return undefined;
    const { version } = document;
    const kept = new KeptDocument(kind, documents, document, { value: readValue(kind, document), version });
    kept.#noteWritten(document);
    return kept;
  }

  /** As changed by now, durable or not. */
  get value(): Value {
    return this.#changed(this.#pending);
  }

  /** Reads what other processes made of it. False when it was deleted. */
  async refresh(): Promise<boolean> {
    const before = this.#version;
    const document = await this.#documents.getDocument(this.#kind.kind, this.id);
    // What this process wrote meanwhile may be newer. A lower version is what a fail-over left.
    if (document !== undefined && document.version !== before && this.#version === before) this.#adopt(document);
    return document !== undefined;
  }

  /** Writes what was only noted. */
  async flush(): Promise<void> {
    if (this.#pending.length > 0) await this.change((value) => value);
  }

  /** @param onError hears of what could not be written; after a full disk, which has room again some time, it is tried again. */
  note(
    change: Change<Value>,
    afterMs: number = limits.noteFlushMs,
    onError: (error: unknown) => void = () => {},
  ): void {
    this.#pending.push(change);
    this.#flushLater(afterMs, onError);
  }

  #flushLater(afterMs: number, onError: (error: unknown) => void): void {
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      this.flush().catch((error: unknown) => {
        onError(error);
        if (isResumableError(error, "STORE_WRITE_FAILED")) this.#flushLater(limits.noteFlushMs, onError);
      });
    }, afterMs).unref();
  }

  /**
   * @throws {@link ResumableError} `STORE_WRITE_FAILED`; `DOCUMENT_CONFLICT` when the document was deleted;
   * `LIMIT_EXCEEDED` when it is new and its group is full.
   */
  async change(change: Change<Value>): Promise<void> {
    this.#pending.push(change);
    await this.#writing?.catch(() => {});
    if (!this.#pending.includes(change)) return;
    try {
      // The first change after a write takes along all that gathered meanwhile.
      this.#writing ??= this.#write();
      await this.#writing;
    } catch (error) {
      this.#pending = this.#pending.filter((other) => other !== change);
      throw error;
    }
  }

  async #write(): Promise<void> {
    const changes = new Set(this.#pending);
    const { id, owner } = this;
    try {
      for (let conflicts = 0; ; conflicts++) {
        try {
          const changed = this.#changed(changes);
          // Absent properties are absent in JSON, too.
          const value: Json = JSON.parse(JSON.stringify(changed));
          const now = { wallMs: Date.now(), monotonicMs: performance.now() };
          const place = { kind: this.#kind.kind, id, owner, counted: this.#counted };
          const request = { ...place, value, expectedVersion: this.#version, now };
          this.#version = (await this.#documents.putDocument(request)).version;
          this.writtenMs = now.monotonicMs;
          this.#stored = changed;
          this.#pending = this.#pending.filter((change) => !changes.has(change));
          return;
        } catch (error) {
          if (!isResumableError(error, "DOCUMENT_CONFLICT") || conflicts >= limits.maxConflicts) throw error;
          await this.#reread();
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #changed(changes: Iterable<Change<Value>>): Value {
    let value = this.#stored;
    for (const change of changes) value = change(value);
    return value;
  }

  async #reread(): Promise<void> {
    const { kind } = this.#kind;
    const document = await this.#documents.getDocument(kind, this.id);
    if (document === undefined) {
      throw new ResumableError("DOCUMENT_CONFLICT", "The session has ended. Open a new session.", {
        details: { kind, id: this.id },
      });
    }
    this.#adopt(document);
  }

  #adopt(document: StoredDocument): void {
    this.#stored = readValue(this.#kind, document);
    this.#version = document.version;
    this.#noteWritten(document);
  }

  #noteWritten({ updatedAt }: StoredDocument): void {
    this.writtenMs = performance.now() - Math.max(0, Date.now() - Date.parse(updatedAt));
  }
}
