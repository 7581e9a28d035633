import { isResumableError, type Json, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { deepFreeze, sealDocuments } from "@resumable-mcp/core/internal";
import type {
  DocumentSummary,
  EventPage,
  ItemPage,
  NewTask,
  Signal,
  StoredDocument,
  TaskPage,
  TaskSnapshot,
  TaskSummary,
} from "@resumable-mcp/core/store";
import type { StoreKeys } from "../keys/store-keys.js";
import { type Codec, documentFields, eventFields, mapFields, queryFields, taskFields } from "./fields.js";
import { Sealer } from "./sealer.js";

/** Makes the error of a part that does not open. @param sealed its text. */
type Refuse = (part: string, sealed?: Json) => ResumableError;

const taskScope = (taskId: string): string => `task ${taskId}`;
const documentScope = (kind: string, id: string): string => `document ${kind} ${id}`;

/** Seals and opens what goes through the methods of a store. */
export class StoreCodec {
  readonly #sealer: Sealer;
  /** What was made of objects of a store, which hands on what did not change. */
  readonly #made = new WeakMap<object, { readonly as: string; readonly made: object }>();

  constructor(keys: StoreKeys) {
    this.#sealer = new Sealer(keys);
  }

  /** @param seq the event that brings it. */
  sealTask<Task extends NewTask>(task: Task, seq: number): Task {
    return mapFields(task, taskFields, this.#sealing(taskScope(task.id), seq));
  }

  /** Seals an event, or a signal. @param seq its place in the journal; 0 for a signal. */
  sealEvent<Event extends object>(event: Event, taskId: string, seq: number): Event {
    return mapFields(event, eventFields, this.#sealing(taskScope(taskId), seq));
  }

  /** Seals an item that no event of the journal has any more. */
  sealItem(item: Json, taskId: string, index: number): Json {
    return this.#sealing(taskScope(taskId), 0).value("item", item, index);
  }

  sealChunk(bytes: Uint8Array, taskId: string, artifact: string, index: number): Uint8Array {
    return this.#sealer.sealBytes({ scope: taskScope(taskId), artifact, index }, bytes);
  }

  openChunk(sealed: Uint8Array, taskId: string, artifact: string, index: number): Uint8Array {
    const opened = this.#sealer.openBytes({ scope: taskScope(taskId), artifact, index }, sealed);
    if (opened === undefined) throw this.corrupt(taskId, "artifact");
    return opened;
  }

  /** @param replaced the version that it is based on: which one it gets is known to the store alone. */
  sealDocument<Document extends Pick<StoredDocument, "kind" | "id">>(document: Document, replaced: number): Document {
    const codec = this.#sealing(documentScope(document.kind, document.id), replaced + 1);
    return mapFields(document, documentFields, codec);
  }

  sealDocumentId(kind: string, id: string): string {
    return this.#sealer.sealName(`document ${kind}`, id);
  }

  /** Seals what a query looks for. */
  sealQuery<Query extends object>(query: Query): Query {
    return mapFields(query, queryFields, this.#sealing("", 0));
  }

  #sealing(scope: string, seq: number): Codec {
    return {
      scope,
      seals: true,
      value: (kind, value = null, index = 0) => this.#sealer.seal({ scope, kind, seq, index }, value),
      name: (names, name) => this.#sealer.sealName(names, name),
      once: (_part, _as, make) => make(),
    };
  }

  /** Opens what the events from `first` to `last` may have brought. */
  #opening(scope: string, first: number, last: number, refuse: Refuse): Codec {
    return {
      scope,
      seals: false,
      value: (kind, sealed, index = 0) => {
        const opened = this.#sealer.open(scope, kind, sealed);
        if (opened === undefined || opened.seq < first || opened.seq > last || opened.index !== index)
          throw refuse(kind, sealed);
        return opened.value;
      },
      name: (names, sealed) => {
        const name = this.#sealer.openName(names, sealed);
        if (name === undefined) throw refuse(names);
        return name;
      },
      once: (part, as, make) => {
        const before = this.#made.get(part);
        // The same object, taken for the same, gave one of its own type.
        if (before?.as === as) return before.made as typeof part;
        const made = deepFreeze(make());
        this.#made.set(part, { as, made });
        return made;
      },
    };
  }

  #openingTask(taskId: string, first: number, last = first): Codec {
    return this.#opening(taskScope(taskId), first, last, (part, sealed) => this.corrupt(taskId, part, sealed));
  }

  /** @param id the task that was asked for. */
  openSnapshot(snapshot: TaskSnapshot, id: string): TaskSnapshot {
    const { record, signals } = snapshot;
    return { ...snapshot, record: this.openRecord(record, id), signals: this.openSignals(signals, id) };
  }

  /** @param id the task that was asked for. */
  openRecord(record: TaskRecord, id: string): TaskRecord {
    if (record.id !== id) throw this.corrupt(id, "record");
    const codec = this.#openingTask(id, 1, record.lastSeq);
    return codec.once(record, id, () => mapFields(record, taskFields, codec));
  }

  openSignals(signals: readonly Signal[], taskId: string): readonly Signal[] {
    const codec = this.#openingTask(taskId, 0);
    return deepFreeze(signals.map((signal) => mapFields(signal, eventFields, codec)));
  }

  openEvents({ snapshot, ...page }: EventPage, taskId: string): EventPage {
    const events = page.events.map((event) =>
      deepFreeze(mapFields(event, eventFields, this.#openingTask(taskId, event.seq))),
    );
    return { ...page, ...(snapshot !== undefined && { snapshot: this.openRecord(snapshot, taskId) }), events };
  }

  /** Items come in the order of their events, each once. */
  openItems(page: ItemPage, taskId: string): ItemPage {
    let last = { seq: -1, index: 0 };
    const items = page.items.map((sealed) => {
      const item = this.#sealer.open(taskScope(taskId), "item", sealed);
      const isNext = item && (item.seq === last.seq ? item.index === last.index + 1 : item.seq > last.seq);
      if (!isNext) throw this.corrupt(taskId, "item", sealed);
      last = item;
      return item.value;
    });
    return { ...page, items: Object.freeze(items) };
  }

  /** A task that does not open is shown as damaged, and hinders no other. */
  openPage(page: TaskPage): TaskPage {
    const tasks: TaskSummary[] = [];
    const damaged = (page.damaged ?? []).map((task) => this.#openDamaged(task, task.damage));
    for (const task of page.tasks) {
      try {
        tasks.push(Object.freeze(mapFields(task, taskFields, this.#openingTask(task.id, 1, Number.POSITIVE_INFINITY))));
      } catch (error) {
        if (!isResumableError(error, "TASK_CORRUPT")) throw error;
        damaged.push(this.#openDamaged(task, error.message.replace(/\.$/, "")));
      }
    }
    return { ...page, tasks: Object.freeze(tasks), ...(damaged.length > 0 && { damaged }) };
  }

  #openDamaged({ label: _l, message: _m, session: _s, error, ...task }: TaskSummary, damage: string) {
    const owner = this.openOwner(task.owner);
    return {
      ...task,
      damage,
      owner,
      ...(error !== undefined && { error: { ...error, message: "The message does not open." } }),
    };
  }

  /** For lists: what is not a sealed owner stays as it is. */
  openOwner(sealed: string): string {
    return this.#sealer.openName("owner", sealed) ?? sealed;
  }

  /** Says whose a damaged task is. @param sealed its owner, where the store could read it. */
  openDamage(error: unknown, sealed?: string): unknown {
    if (!isResumableError(error, "TASK_CORRUPT")) return error;
    const { details, message, cause } = error;
    const owner = this.#sealer.openName("owner", sealed ?? details.owner ?? "");
    return new ResumableError("TASK_CORRUPT", message, { details: { ...details, owner }, cause });
  }

  /** @param part what does not open: its first word says what it is. @param sealed its text. */
  corrupt(taskId: string, part: string, sealed?: Json): ResumableError {
    const keyId = this.#sealer.absentKeyOf(sealed);
    const [name] = part.split(" ");
    const reason =
      keyId === undefined
        ? "it was changed, it belongs to another place, or it was never sealed"
        : `the store does not have the data key ${keyId} under which it is sealed`;
    const keys =
      keyId === undefined ? "" : `the document "${sealDocuments.first}" of the kind ${sealDocuments.kind}, or `;
    return new ResumableError(
      "TASK_CORRUPT",
      `A sealed part of task ${taskId} (${name}) does not open: ${reason}. Nothing was changed. Restore ${keys}the task from a backup, or delete the task.`,
      { details: { taskId, path: `sealed ${name}` } },
    );
  }

  /** @param id the one that was asked for. */
  openDocument(document: StoredDocument, kind: string, id: string): StoredDocument {
    const refuse = () => damagedDocument(kind, id);
    const codec = this.#opening(documentScope(kind, id), 1, document.version, refuse);
    const opened = mapFields(document, documentFields, codec);
    // The id opens under its own kind alone.
    if (opened.id !== id) throw refuse();
    return opened;
  }

  /**
   * A document without its value: one that does not open keeps its document from no list, and from no deletion. `undefined` for
   * one of another kind, for the keys of the store, and for what was put there without them.
   */
  openDocumentSummary<Document extends DocumentSummary>(document: Document, kind: string): Document | undefined {
    const id = this.#sealer.openName(`document ${kind}`, document.id);
    return id === undefined ? undefined : { ...document, id, owner: this.openOwner(document.owner) };
  }
}

function damagedDocument(kind: string, id: string): ResumableError {
  const reason = "a sealed document does not open: it was changed, or it belongs to another place";
  return new ResumableError(
    "DOCUMENT_UNREADABLE",
    `A ${kind} of the store cannot be read: ${reason}. Nothing was changed. Restore it from a backup.`,
    { details: { kind, id } },
  );
}
