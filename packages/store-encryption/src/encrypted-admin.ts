import { isResumableError, type Json, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { sealDocuments } from "@resumable-mcp/core/internal";
import type {
  StoreAdmin,
  StoreCheck,
  StoredDocument,
  StoreProblem,
  StoreWriting,
  TaskBeginning,
  TaskDraft,
  TaskPage,
} from "@resumable-mcp/core/store";
import type { Keyring } from "./keys/keyring.js";
import { resealKeys } from "./keys/store-keys.js";
import { OpenedKeys } from "./opened-keys.js";
import type { StoreSealer } from "./values/store-sealer.js";
import { counting, idleDocuments, reading, singleDocuments, writing } from "./with-encryption.js";

const pageSize = 1_000;

/** What an operator does with an encrypted store. */
export interface EncryptedAdmin extends StoreAdmin {
  /**
   * Seals the store's own keys under the keyring's present key; after that the keyring needs no other key. Values stay as they
   * are. Safe while servers run that have the present key, and safe to repeat.
   *
   * @throws {@link ResumableError} `KEY_MISSING`.
   */
  reseal(): Promise<{ readonly resealed: number; readonly present: number }>;
}

/**
 * Opens what an operator reads of an encrypted store, and seals what they bring.
 *
 * @throws {@link ResumableError} from the methods: `KEY_MISSING`, `STORE_NOT_ENCRYPTED`.
 */
export function encryptedAdmin(admin: StoreAdmin, keyring: Keyring): EncryptedAdmin {
  const keys = new OpenedKeys(admin.reading, keyring);
  const read = {
    ...reading({ store: admin.reading, keys }),
    ...counting({ store: admin.reading, keys }),
    getDocument: singleDocuments({ store: readOnly(admin), keys }).getDocument,
    ...idleDocuments({ store: admin.reading, keys }),
  };
  const { repair } = admin;
  return {
    place: admin.place,
    reading: read,
    describeTask: (id) => admin.describeTask(id),
    measure: () => admin.measure(),
    unlistedIds: () => unlistedIds(admin, keys),
    documents: () => openedDocuments(admin, keys),
    check: () => checkAll(admin, read, keys),
    ...(repair !== undefined && { repair: (apply) => repair(apply) }),
    migrate: () => admin.migrate(),
    write: (work, mayBeMade) => admin.write((inner) => encryptedWriting(admin, inner, keyring).then(work), mayBeMade),
    reseal: () => admin.write((inner) => resealKeys(documentsOf(admin, inner), keyring)),
    close: () => admin.close(),
  };
}

function readOnly({ reading: { getDocument } }: StoreAdmin): Pick<StoreWriting, "getDocument" | "putDocument"> {
  return { getDocument, putDocument: () => Promise.reject(new Error("A store that is read takes no documents.")) };
}

function documentsOf({ reading: { countTasks, listIdleDocuments } }: StoreAdmin, inner: StoreWriting) {
  const { getDocument, putDocument } = inner;
  return { getDocument, putDocument, countTasks, listIdleDocuments };
}

async function encryptedWriting(admin: StoreAdmin, inner: StoreWriting, keyring: Keyring): Promise<StoreWriting> {
  const keys = new OpenedKeys(documentsOf(admin, inner), keyring);
  const sealer = await keys.load();
  return {
    getTask: reading({ store: { ...admin.reading, getTask: inner.getTask }, keys }).getTask,
    ...writing({ store: inner, keys }),
    releaseLease: (lease) => inner.releaseLease(lease),
    deleteTask: (lease) => inner.deleteTask(lease),
    ...singleDocuments({ store: inner, keys }),
    deleteDocument: (kind, id) => inner.deleteDocument(kind, sealer.sealDocumentId(kind, id)),
    beginTask: (task) => beginSealed(inner, sealer, task),
  };
}

async function beginSealed(inner: StoreWriting, sealer: StoreSealer, task: TaskBeginning): Promise<TaskDraft> {
  const draft = await inner.beginTask({
    id: task.id,
    base: task.base && sealer.sealRecord(task.base),
    signals: task.signals.map((signal) => sealer.sealSignal(task.id, signal)),
  });
  let items = 0;
  return {
    id: draft.id,
    get record(): TaskRecord | undefined {
      return draft.record && sealer.openRecord(draft.record, draft.id);
    },
    async addItems(given: readonly Json[]) {
      await draft.addItems(sealer.sealItems(task.id, given, items));
      items += given.length;
    },
    addEvents: (events) => draft.addEvents(sealer.sealPlaced(task.id, events)),
    finish: () => draft.finish(),
    discard: () => draft.discard(),
  };
}

/** In addition to what the store has in no list: what its lists have, and does not open. */
async function* unlistedIds(admin: StoreAdmin, keys: OpenedKeys): AsyncGenerator<string> {
  yield* admin.unlistedIds();
  for await (const { tasks } of pagesOf(admin.reading)) {
    const opened = await keys.open((sealer) => sealer.openPage({ tasks }));
    for (const { id } of opened.damaged ?? []) yield id;
  }
}

/** The store's own keys are not exported, nor is a document that does not open: `check` reports it. */
async function* openedDocuments(admin: StoreAdmin, keys: OpenedKeys): AsyncGenerator<StoredDocument> {
  for await (const document of admin.documents()) {
    if (document.kind === sealDocuments.kind) continue;
    const opened = await keys.open((sealer) => sealer.openDocument(document)).catch(ignoreDamage);
    if (opened !== undefined) yield opened;
  }
}

function ignoreDamage(error: unknown): undefined {
  if (!isResumableError(error, "DOCUMENT_UNREADABLE")) throw error;
}

type Reading = Pick<StoreAdmin["reading"], "getTask" | "listTasks" | "readEvents" | "readItems">;

/** In addition to what the store checks: all that is sealed opens. */
async function checkAll(admin: StoreAdmin, read: Reading, keys: OpenedKeys): Promise<StoreCheck> {
  const { tasks, problems } = await admin.check();
  const known = new Set(problems.map(({ taskId }) => taskId));
  const found: StoreProblem[] = [];
  for await (const taskId of taskIds(read)) {
    const error = known.has(taskId) ? undefined : await readWhole(read, taskId).then(() => undefined, damageOf);
    if (error !== undefined)
      found.push({ kind: "does_not_open", severity: "damage", taskId, path: error.path, message: error.message });
  }
  for await (const document of admin.documents()) {
    if (document.kind === sealDocuments.kind) continue;
    const opened = await keys.open((sealer) => sealer.openDocument(document)).catch(ignoreDamage);
    if (opened === undefined) found.push(unopened(document));
  }
  return { tasks, problems: [...problems, ...found] };
}

function unopened({ kind }: StoredDocument): StoreProblem {
  const message = "it was changed, it belongs to another place, or it was never sealed";
  return { kind: "does_not_open", severity: "damage", path: `document ${kind}`, message };
}

async function* taskIds(read: Reading): AsyncGenerator<string> {
  for await (const { tasks, damaged = [] } of pagesOf(read)) for (const { id } of [...tasks, ...damaged]) yield id;
}

async function* pagesOf({ listTasks }: Pick<Reading, "listTasks">): AsyncGenerator<TaskPage> {
  for (let cursor: string | undefined; ; ) {
    const page = await listTasks({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

/** A task that was deleted meanwhile is not damaged. */
function damageOf(error: unknown): { readonly path: string; readonly message: string } | undefined {
  if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
  if (!isResumableError(error, "TASK_CORRUPT")) throw error;
  return { path: error.details.path, message: error.message };
}

async function readWhole(read: Reading, taskId: string): Promise<void> {
  const record = (await read.getTask(taskId))?.record;
  if (record === undefined) return;
  for (let afterSeq = 0; afterSeq < record.lastSeq; ) {
    const { events, snapshot } = await read.readEvents(taskId, { afterSeq, limit: pageSize });
    afterSeq = events.at(-1)?.seq ?? snapshot?.lastSeq ?? record.lastSeq;
  }
  for (let after = 0; after < record.itemCount; ) {
    const { next } = await read.readItems(taskId, { after, limit: pageSize });
    if (next <= after) return refuseFewer(read, record);
    after = next;
  }
}

/** A task that restarts from nothing meanwhile forgets its items. */
async function refuseFewer(read: Reading, { id, itemsFromSeq }: TaskRecord): Promise<void> {
  if ((await read.getTask(id))?.record.itemsFromSeq === itemsFromSeq) throw endless(id);
}

function endless(taskId: string): ResumableError {
  return new ResumableError("TASK_CORRUPT", `Task ${taskId} has fewer items than its record says.`, {
    details: { taskId, path: "items" },
  });
}
