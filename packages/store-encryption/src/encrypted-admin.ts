import { type ErrorCode, isResumableError, type Json, type TaskRecord } from "@resumable-mcp/core";
import { sealDocuments } from "@resumable-mcp/core/internal";
import {
  artifactsOf,
  type StoreAdmin,
  type StoreCheck,
  type StoredDocument,
  type StoreProblem,
  type StoreWriting,
  type TaskBeginning,
  type TaskDraft,
  type TaskPage,
} from "@resumable-mcp/core/store";
import type { Keyring } from "./keys/keyring.js";
import { resealKeys } from "./keys/store-keys.js";
import { OpenedKeys } from "./opened-keys.js";
import type { StoreCodec } from "./values/store-codec.js";
import { type Reading, reading, writing } from "./with-encryption.js";

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
  const read = reading(admin.reading, keys);
  return {
    ...admin,
    reading: read,
    unlistedIds: () => unlistedIds(admin, keys),
    async *documents() {
      for await (const { opened } of openedDocuments(admin, keys)) if (opened !== undefined) yield opened;
    },
    check: () => check(admin, read, keys),
    write: (work, mayBeMade) =>
      admin.write(async (inner) => work(await sealedWriting(admin, inner, keyring)), mayBeMade),
    reseal: () => admin.write((inner) => resealKeys({ ...admin.reading, ...inner }, keyring)),
  };
}

async function sealedWriting(admin: StoreAdmin, inner: StoreWriting, keyring: Keyring): Promise<StoreWriting> {
  const store = { ...admin.reading, ...inner };
  const keys = new OpenedKeys(store, keyring);
  const codec = await keys.load();
  return {
    ...inner,
    ...reading(store, keys),
    ...writing(store, keys),
    beginTask: (task) => beginSealed(inner, codec, task),
  };
}

async function beginSealed(inner: StoreWriting, codec: StoreCodec, task: TaskBeginning): Promise<TaskDraft> {
  const { id, base, signals } = task;
  const draft = await inner.beginTask({
    id,
    base: base && codec.sealTask(base, base.lastSeq),
    signals: signals.map((signal) => codec.sealEvent(signal, id, 0)),
  });
  let items = 0;
  return {
    id: draft.id,
    get record(): TaskRecord | undefined {
      return draft.record && codec.openRecord(draft.record, id);
    },
    async addItems(given: readonly Json[]) {
      await draft.addItems(given.map((item, index) => codec.sealItem(item, id, items + index)));
      items += given.length;
    },
    addChunk: (artifact, index, bytes) => draft.addChunk(artifact, index, codec.sealChunk(bytes, id, artifact, index)),
    addEvents: (events) => draft.addEvents(events.map((event) => codec.sealEvent(event, id, event.seq))),
    finish: () => draft.finish(),
    discard: () => draft.discard(),
  };
}

/** In addition to what the store has in no list: what its lists have, and does not open. */
async function* unlistedIds(admin: StoreAdmin, keys: OpenedKeys): AsyncGenerator<string> {
  yield* admin.unlistedIds();
  for await (const { tasks } of pagesOf(admin.reading)) {
    const { damaged = [] } = await keys.open((codec) => codec.openPage({ tasks }));
    for (const { id } of damaged) yield id;
  }
}

/** All documents but the store's own keys. One that does not open is reported by `check`, and is in no export. */
async function* openedDocuments(
  admin: StoreAdmin,
  keys: OpenedKeys,
): AsyncGenerator<{ readonly kind: string; readonly opened: StoredDocument | undefined }> {
  for await (const document of admin.documents()) {
    const { kind } = document;
    if (kind === sealDocuments.kind) continue;
    const opening = keys.open((codec) => {
      const summary = codec.openDocumentSummary(document, kind);
      return summary && codec.openDocument(document, kind, summary.id);
    });
    yield { kind, opened: await opening.catch((error) => ignore(error, "DOCUMENT_UNREADABLE")) };
  }
}

function ignore(error: unknown, code: ErrorCode): undefined {
  if (!isResumableError(error, code)) throw error;
}

/** In addition to what the store checks: all that is sealed opens. */
async function check(admin: StoreAdmin, read: Reading, keys: OpenedKeys): Promise<StoreCheck> {
  const { tasks, problems } = await admin.check();
  const known = new Set(problems.map(({ taskId }) => taskId));
  const found: StoreProblem[] = [];
  const unopened = { kind: "does_not_open", severity: "damage" } as const;
  for await (const page of pagesOf(read)) {
    for (const { id: taskId } of [...page.tasks, ...(page.damaged ?? [])]) {
      const damage = known.has(taskId) ? undefined : await damageOf(read, taskId);
      if (damage !== undefined) found.push({ ...unopened, taskId, ...damage });
    }
  }
  const message = "it was changed, it belongs to another place, or it was never sealed";
  for await (const { kind, opened } of openedDocuments(admin, keys))
    if (opened === undefined) found.push({ ...unopened, path: `document ${kind}`, message });
  return { tasks, problems: [...problems, ...found] };
}

/** What is wrong with a task. One that was deleted meanwhile is not damaged. */
async function damageOf(read: Reading, taskId: string): Promise<Pick<StoreProblem, "path" | "message"> | undefined> {
  try {
    const record = (await read.getTask(taskId))?.record;
    return record && (await readWhole(read, record));
  } catch (error) {
    if (!isResumableError(error, "TASK_CORRUPT")) return ignore(error, "TASK_NOT_FOUND");
    return { path: error.details.path, message: error.message };
  }
}

async function readWhole(read: Reading, record: TaskRecord) {
  const { id, lastSeq, itemCount, itemsFromSeq } = record;
  for (const { artifact } of artifactsOf(record))
    for (let index = 0; (await read.readChunk(id, artifact, index)) !== undefined; index += 1);
  for (let afterSeq = 0; afterSeq < lastSeq; ) {
    const { events, snapshot } = await read.readEvents(id, { afterSeq, limit: pageSize });
    afterSeq = events.at(-1)?.seq ?? snapshot?.lastSeq ?? lastSeq;
  }
  for (let after = 0; after < itemCount; ) {
    const { next } = await read.readItems(id, { after, limit: pageSize });
    // A task that restarts from nothing meanwhile forgets its items.
    const hasFewer = next <= after && (await read.getTask(id))?.record.itemsFromSeq === itemsFromSeq;
    if (hasFewer) return { path: "items", message: `Task ${id} has fewer items than its record says.` };
    after = next > after ? next : itemCount;
  }
  return undefined;
}

async function* pagesOf({ listTasks }: Reading): AsyncGenerator<TaskPage> {
  for (let cursor: string | undefined; ; ) {
    const page = await listTasks({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
