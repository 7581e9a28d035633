import { isFinal, isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { storeErrors, type TaskBeginning, type TaskDraft } from "@resumable-mcp/core/store";
import { isSafeId, shardFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import { makeNamesDurable } from "../../index/task-creator.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { ImportDraft } from "./import-draft.js";

/** Begins to bring a task of another store. */
export function beginTask(store: OpenStore, task: TaskBeginning): TaskDraft {
  if (!isSafeId(task.id)) throw badId("id");
  const draft = new ImportDraft(store.context, task);
  return {
    id: task.id,
    get record() {
      return draft.record;
    },
    addItems: async (items) => draft.addItems(items),
    addEvents: async (events) => draft.addEvents(events),
    addChunk: async (artifact, _index, bytes) => draft.addChunk(artifact, bytes),
    finish: () => bring(store, draft),
    discard: async () => draft.discard(),
  };
}

/** Moves a task into place, and then lists it: what an interruption leaves undone in between, a repetition does. */
async function bring(store: OpenStore, draft: ImportDraft): Promise<boolean> {
  const { record } = draft;
  if (record === undefined) throw new Error("A task has events.");
  const there = await store.reader.read(record.id);
  if (there !== undefined) {
    if (!isSame(there.record, record)) throw storeErrors.taskExists(record.id);
    await list(store, there);
    return false;
  }
  await refuseRival(store, record);
  await draft.finish(record);
  draft.publish();
  store.context.observe("store.create.published", record.id);
  try {
    // A task that has no call yet is unknown to everything but its makers.
    const made = await store.reader.read(record.id);
    if (made === undefined) throw storeErrors.taskNotFound(record.id);
    await list(store, made);
  } catch (error) {
    if (isResumableError(error, "KEY_TAKEN")) draft.withdraw();
    throw error;
  }
  return true;
}

/** Ids are not to be guessed: a task of the same id that was made at the same time is the same one. */
function isSame(there: TaskRecord, record: TaskRecord): boolean {
  return there.createdAt === record.createdAt && there.owner === record.owner && there.tool === record.tool;
}

async function refuseRival({ keys }: OpenStore, { id, owner, key, status }: TaskRecord): Promise<void> {
  if (key === null || isFinal(status)) return;
  await keys.refuseRival(id, keys.look(owner, key).claim);
}

/** An unfinished task gets its call from now on; a finished one only where no other task has it. */
async function list(store: OpenStore, reading: TaskReading): Promise<void> {
  const { context, finished, notifications, keys, places, reader } = store;
  const { record, view } = reading;
  const { id, owner, key, status } = record;
  const claim = key === null ? undefined : keys.look(owner, key).claim;
  const isFree = key !== null && (isFinal(status) ? claim === undefined : claim?.taskId !== id);
  if (isFree) await keys.claimAgain(record);
  if (isFinal(status)) {
    finished.repair(record, view.header.incarnation, () => reader.isStill(reading));
    await finished.idle();
    if (context.durable) {
      for (const folder of [shardFolder(context.layout, id), context.layout.tasks])
        await context.disk.syncFolder(folder);
    }
  } else {
    const endMaking = await places.begin(record);
    await makeNamesDurable(store, record);
    endMaking();
  }
  notifications.notify(id, "runnable");
}
