import { isResumableError } from "@resumable-mcp/core";
import type { CountedGroup, Documents, Instant, TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";
import { z } from "zod";

/** What the receiver reads: which task came to which status, and when (ISO 8601 UTC). */
export interface WebhookMessage {
  readonly id: string;
  readonly tool: string;
  readonly status: "completed" | "failed" | "input_required";
  readonly time: string;
}

const messageSchema = z.object({
  message: z.object({
    id: z.string(),
    tool: z.string(),
    status: z.enum(["completed", "failed", "input_required"]),
    time: z.string(),
  }),
  /** The place in the task's journal of the event that it is about. */
  seq: z.number(),
  /** The journal is known to hold that event. */
  committed: z.boolean(),
  /** How often it was sent. */
  attempts: z.number(),
});

/** What the store keeps of a message. */
type StoredMessage = z.infer<typeof messageSchema>;

/** A message of the outbox, which this process has for itself until another one's claim. */
export interface OutboxEntry extends StoredMessage {
  readonly version: number;
}

const kind = "webhook";

/** The statuses that events bring about, of those that are sent. */
const statuses: { readonly [Type in TaskEventBody["type"]]?: WebhookMessage["status"] } = {
  completed: "completed",
  failed: "failed",
  asked: "input_required",
};

/** Which status an event brings about, if the webhook tells of it. */
export function statusOf({ type }: TaskEventBody | TaskEvent): WebhookMessage["status"] | undefined {
  return statuses[type];
}

/** The id of a message, by which receivers recognise a repetition: there is one event at each place of a journal. */
export function messageId({ message: { id }, seq }: Pick<StoredMessage, "message" | "seq">): string {
  return `msg_${id}_${seq}`;
}

/**
 * The messages that were not delivered yet, as documents of the store: durable, shared and counted as these are.
 *
 * A document counts as put at the time when its message is due. That is how all processes find what is due, and how one that
 * has claimed a message keeps it from the others.
 */
export class Outbox {
  readonly #documents: Documents;
  readonly #counted: CountedGroup;
  readonly #maxConflicts: number;

  constructor(documents: Documents, limits: { readonly maxMessages: number; readonly maxConflicts: number }) {
    this.#documents = documents;
    this.#counted = { group: "messages", max: limits.maxMessages, limit: "maxMessages" };
    this.#maxConflicts = limits.maxConflicts;
  }

  /** Keeps a message, in place of one about an event of that place that was never committed. `undefined`: the outbox is full. */
  async add(message: WebhookMessage, seq: number, due: Instant): Promise<OutboxEntry | undefined> {
    const value: StoredMessage = { message, seq, committed: false, attempts: 0 };
    for (let conflicts = 0, version = 0; ; conflicts++) {
      try {
        return await this.#put({ ...value, version }, due);
      } catch (error) {
        if (isResumableError(error, "LIMIT_EXCEEDED")) return undefined;
        if (!isResumableError(error, "DOCUMENT_CONFLICT") || conflicts >= this.#maxConflicts) throw error;
        version = (await this.#documents.getDocument(kind, messageId(value)))?.version ?? 0;
      }
    }
  }

  /** The ids of messages that are due, at most `limit`. */
  async listDue(nowMs: number, limit: number): Promise<readonly string[]> {
    const due = await this.#documents.listIdleDocuments({ kind, idleSinceMs: nowMs, limit });
    return due.map(({ id }) => id);
  }

  /** Takes a message that is due until a time. `undefined`: another process has it, or it was delivered. */
  async claim(id: string, nowMs: number, until: Instant): Promise<OutboxEntry | undefined> {
    const document = await this.#documents.getDocument(kind, id);
    if (document === undefined || Date.parse(document.updatedAt) >= nowMs) return undefined;
    const value = messageSchema.parse(document.value);
    return this.change({ ...value, version: document.version }, until);
  }

  /** Writes what became of a message, and when it is due again. `undefined`: another process has it. */
  async change(entry: OutboxEntry, due: Instant): Promise<OutboxEntry | undefined> {
    try {
      return await this.#put(entry, due);
    } catch (error) {
      if (isResumableError(error, "DOCUMENT_CONFLICT")) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await this.#documents.deleteDocument(kind, id);
  }

  async #put({ version: expectedVersion, ...value }: OutboxEntry, now: Instant): Promise<OutboxEntry> {
    const place = { kind, id: messageId(value), owner: "server:webhook" };
    const put = { ...place, value: { ...value, message: { ...value.message } }, expectedVersion };
    const { version } = await this.#documents.putDocument({ ...put, counted: this.#counted, now });
    return { ...value, version };
  }
}
