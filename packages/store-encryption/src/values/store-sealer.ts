import { isResumableError, type Json, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { BoundedCache, deepFreeze, recordMemory, sealDocuments } from "@resumable-mcp/core/internal";
import type {
  DamagedTask,
  DocumentSummary,
  EventPage,
  ItemPage,
  NewSignal,
  NewTask,
  Signal,
  StoredDocument,
  TaskEvent,
  TaskEventBody,
  TaskPage,
  TaskSnapshot,
  TaskSummary,
} from "@resumable-mcp/core/store";
import type { StoreKeys } from "../keys/store-keys.js";
import { mapEvent, mapTask } from "./map-event.js";
import { type MappedRecord, mapRecord, mapSignal, openSummary } from "./map-record.js";
import { Sealer } from "./sealer.js";
import { OpeningValues, openOwner, SealingValues, sealOwner } from "./task-values.js";

/** Records of unfinished tasks that were opened last. */
const cacheLimits = { maxEntries: 256, maxBytes: 64 * 1024 * 1024 } as const;

/** Seals and opens what goes through the methods of a store. */
export class StoreSealer {
  readonly #sealer: Sealer;
  readonly #records = new BoundedCache<MappedRecord>(cacheLimits);

  constructor(keys: StoreKeys) {
    this.#sealer = new Sealer(keys);
  }

  sealTask(task: NewTask): NewTask {
    return mapTask(task, new SealingValues(this.#sealer, task.id, 1));
  }

  /** Seals events that come after `afterSeq`. */
  sealEvents(taskId: string, afterSeq: number, events: readonly TaskEventBody[]): readonly TaskEventBody[] {
    return events.map((event, index) => mapEvent(event, new SealingValues(this.#sealer, taskId, afterSeq + 1 + index)));
  }

  sealPlaced(taskId: string, events: readonly TaskEvent[]): readonly TaskEvent[] {
    return events.map((event) => mapEvent(event, new SealingValues(this.#sealer, taskId, event.seq)));
  }

  sealRecord(record: TaskRecord): TaskRecord {
    return mapRecord(record, new SealingValues(this.#sealer, record.id, record.lastSeq));
  }

  /** Items that no event of the journal has any more, from the first one on. */
  sealItems(taskId: string, items: readonly Json[], firstIndex: number): readonly Json[] {
    const values = new SealingValues(this.#sealer, taskId, 0);
    return items.map((item, index) => values.item(item, firstIndex + index));
  }

  sealSignal<Given extends NewSignal | Signal>(taskId: string, signal: Given): Given {
    return mapSignal(signal, new SealingValues(this.#sealer, taskId, 0));
  }

  sealOwner(owner: string): string {
    return sealOwner(this.#sealer, owner);
  }

  sealGroup(group: string): string {
    return this.#sealer.sealName(["group"], group);
  }

  /** @param id the task that was asked for. */
  openSnapshot(snapshot: TaskSnapshot, id: string): TaskSnapshot {
    const { record, signals } = snapshot;
    return { ...snapshot, record: this.openRecord(record, id), signals: this.openSignals(id, signals) };
  }

  /** Opens the task that a store has made for a call or found for it. */
  openTaskOf({ id, owner, key }: NewTask, snapshot: TaskSnapshot): TaskSnapshot {
    const opened = this.openSnapshot(snapshot, snapshot.record.id);
    const { record } = opened;
    if (record.id === id || (key !== null && record.owner === owner && record.key === key)) return opened;
    throw new OpeningValues(this.#sealer, record.id, {}).corrupt("call");
  }

  openSignals(taskId: string, signals: readonly Signal[]): readonly Signal[] {
    if (signals.length === 0) return signals;
    const values = new OpeningValues(this.#sealer, taskId, { seq: 0 });
    return Object.freeze(signals.map((signal) => Object.freeze(mapSignal(signal, values))));
  }

  /** @param id the task that was asked for. */
  openRecord(given: TaskRecord, id: string): TaskRecord {
    const before = this.#records.get(id);
    if (before?.given === given) return before.mapped;
    const mapped = deepFreeze(mapRecord(given, this.#valuesOf(given, id), before));
    // A finished task is seldom read again, and its input would stay in memory.
    if (given.finishedAt !== undefined) this.#records.delete(id);
    else this.#records.set(id, { given, mapped }, recordMemory(given) + recordMemory(mapped));
    return mapped;
  }

  /** What opens a record, which has to be of the task that was asked for. */
  #valuesOf({ id, lastSeq }: TaskRecord, wanted: string): OpeningValues {
    const values = new OpeningValues(this.#sealer, wanted, { lastSeq });
    if (id !== wanted) throw values.corrupt("record");
    return values;
  }

  openEvents(taskId: string, page: EventPage): EventPage {
    const events = page.events.map((event) =>
      deepFreeze(mapEvent(event, new OpeningValues(this.#sealer, taskId, { seq: event.seq }))),
    );
    return { ...page, ...(page.snapshot !== undefined && { snapshot: this.#openOld(page.snapshot, taskId) }), events };
  }

  /** A snapshot in a journal is older than the task: it must not take the place of the newer record. */
  #openOld(record: TaskRecord, taskId: string): TaskRecord {
    return deepFreeze(mapRecord(record, this.#valuesOf(record, taskId)));
  }

  /** Items come in the order of their events, each once. */
  openItems(taskId: string, page: ItemPage): ItemPage {
    const values = new OpeningValues(this.#sealer, taskId, {});
    let last = { seq: -1, index: 0 };
    const items = page.items.map((sealed) => {
      const { value, ...place } = values.placedItem(sealed);
      const isNext = place.seq === last.seq ? place.index === last.index + 1 : place.seq > last.seq;
      if (!isNext) throw values.corrupt("item");
      last = place;
      return value;
    });
    return { ...page, items: Object.freeze(items) };
  }

  /** A task that does not open is shown as damaged, and hinders no other. */
  openPage(page: TaskPage): TaskPage {
    const tasks: TaskSummary[] = [];
    const damaged = (page.damaged ?? []).map((task) => this.#openDamaged(task, task.damage));
    for (const task of page.tasks) {
      try {
        tasks.push(Object.freeze(openSummary(task, new OpeningValues(this.#sealer, task.id, {}))));
      } catch (error) {
        if (!isResumableError(error, "TASK_CORRUPT")) throw error;
        damaged.push(this.#openDamaged(task, error.message.replace(/\.$/, "")));
      }
    }
    return { ...page, tasks: Object.freeze(tasks), ...(damaged.length > 0 && { damaged }) };
  }

  #openDamaged(
    { label: _label, message: _message, session: _session, error, ...task }: TaskSummary,
    damage: string,
  ): DamagedTask {
    return {
      ...task,
      damage,
      owner: this.openOwner(task.owner),
      ...(error !== undefined && { error: { ...error, message: "The message does not open." } }),
    };
  }

  /** Says whose a damaged task is. @param sealed where the store could read it. */
  openDamage(error: unknown, sealed?: string): unknown {
    if (!isResumableError(error, "TASK_CORRUPT")) return error;
    const { details, message, cause } = error;
    const owner = sealed ?? details.owner;
    return new ResumableError("TASK_CORRUPT", message, {
      details: { ...details, owner: owner === undefined ? undefined : openOwner(this.#sealer, owner) },
      cause,
    });
  }

  /** For lists: what is not a sealed owner stays as it is. */
  openOwner(owner: string): string {
    return openOwner(this.#sealer, owner) ?? owner;
  }

  sealDocumentId(kind: string, id: string): string {
    return this.#sealer.sealName(["document", kind], id);
  }

  /** @param replaced the version that it is based on: which one it gets is known to the store alone. */
  sealDocument(kind: string, id: string, owner: string, replaced: number, value: Json): Json {
    return this.#sealer.seal(
      { scope: ["document", kind, id], field: "document", key: this.sealOwner(owner), seq: replaced + 1, index: 0 },
      value,
    );
  }

  /**
   * `undefined` for the keys of the store, and for what was put there without them.
   *
   * @param wanted the kind and the id that were asked for.
   */
  openDocument(document: StoredDocument, wanted?: Pick<StoredDocument, "kind" | "id">): StoredDocument | undefined {
    const { kind, owner, version, value } = document;
    if (wanted !== undefined && wanted.kind !== kind) throw damagedDocument(wanted);
    const summary = this.openDocumentSummary(document, kind);
    if (summary === undefined) return undefined;
    const { id } = summary;
    const opened = this.#sealer.open({ scope: ["document", kind, id], field: "document", key: owner }, value);
    if (opened === undefined || opened.seq > version || (wanted !== undefined && wanted.id !== id))
      throw damagedDocument({ kind, id });
    return { ...summary, value: deepFreeze(opened.value) };
  }

  /** As `openDocument`, without the value: one that does not open keeps its document from no list, and from no deletion. */
  openDocumentSummary(document: DocumentSummary, kind: string): DocumentSummary | undefined {
    if (kind === sealDocuments.kind || document.kind !== kind) return undefined;
    const id = this.#sealer.openName(["document", kind], document.id);
    return id === undefined ? undefined : { ...document, id, owner: this.openOwner(document.owner) };
  }
}

function damagedDocument({ kind, id }: Pick<StoredDocument, "kind" | "id">): ResumableError {
  const reason = "a sealed document does not open: it was changed, or it belongs to another place";
  return new ResumableError(
    "DOCUMENT_UNREADABLE",
    `A ${kind} of the store cannot be read: ${reason}. Nothing was changed. Restore it from a backup.`,
    { details: { kind, id } },
  );
}
