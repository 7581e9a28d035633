import { type Documents, isResumableError, type Json } from "@resumable-mcp/core";
import { limits } from "../../limits.js";
import type { Cursor } from "../session/event-id.js";
import { streamOrderKind } from "../session/session-document.js";
import { type Mark, streamOrder, withEvent } from "./stream-order.js";

/** The order of one session's streams, as a document of the store. */
export class StreamLog {
  marks: readonly Mark[];
  readonly #documents: Documents;
  readonly #id: string;
  #version: number;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  private constructor(documents: Documents, id: string, marks: readonly Mark[], version: number) {
    this.#documents = documents;
    this.#id = id;
    this.marks = marks;
    this.#version = version;
  }

  static async open(documents: Documents, sessionId: string): Promise<StreamLog> {
    const document = await documents.getDocument(streamOrderKind, sessionId);
    const marks = streamOrder.safeParse(document?.value).data?.marks ?? [];
    return new StreamLog(documents, sessionId, marks, document?.version ?? 0);
  }

  /** Notes an event that was sent. */
  note(cursor: Cursor, ended: boolean, onError: (error: unknown) => void): void {
    this.marks = withEvent(this.marks, cursor, ended, limits.maxStreamMarks);
    this.#timer ??= setTimeout(() => void this.save().catch(onError), limits.saveMarksAfterMs).unref();
  }

  /** Durability: resolves when all that was noted is in the store. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.catch(() => {}).then(() => this.#write());
    return this.#saving;
  }

  /** Writes nothing from now on. Resolves when no write is under way. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopped = true;
    await this.#saving.catch(() => {});
  }

  async #write(): Promise<void> {
    if (this.#stopped) return;
    try {
      await this.#put();
    } catch (error) {
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
      // Another process serves the session too: what the client was sent last counts.
      this.#version = (await this.#documents.getDocument(streamOrderKind, this.#id))?.version ?? 0;
      await this.#put();
    }
  }

  async #put(): Promise<void> {
    // What is absent is absent in JSON, too.
    const value: Json = JSON.parse(JSON.stringify({ marks: this.marks }));
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    const written = {
      kind: streamOrderKind,
      id: this.#id,
      owner: "cross-stream",
      value,
      expectedVersion: this.#version,
      now,
    };
    this.#version = (await this.#documents.putDocument(written)).version;
  }
}
