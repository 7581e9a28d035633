import { join } from "node:path";
import { isResumableError } from "@resumable-mcp/core";
import type {
  StoreAdmin,
  StoredDocument,
  StoreProblem,
  StoreRepair,
  StoreSizes,
  StoreWriting,
} from "@resumable-mcp/core/store";
import { layoutVersion, taskFolder } from "../disk/layout.js";
import { listIfExists } from "../disk/whole-file.js";
import { bytesIn } from "../index/store-usage.js";
import type { OpenStore } from "../open-store.js";
import { signalTask } from "../task/task-signals.js";
import { findProblems, repairProblems } from "./fsck/check-fs-store.js";
import type { Problem } from "./fsck/problem.js";
import { type Machine, openReadOnly, thisMachine, withOpenStore } from "./open-folder.js";
import { beginTask } from "./transfer/bring-task.js";

/**
 * Opens a store's folder for an operator. The folder is read when something is first asked of it.
 *
 * @throws {@link ResumableError} from then on: `STORE_MISSING`, `STORE_LAYOUT`.
 */
export function openFsAdmin(
  directory: string,
  machine = thisMachine(),
): StoreAdmin & Required<Pick<StoreAdmin, "repair">> {
  let opened: OpenStore | undefined;
  const store = (): OpenStore => {
    opened ??= openReadOnly(directory, machine);
    return opened;
  };
  return {
    place: directory,
    reading: {
      getTask: async (id) => store().reader.snapshot(id),
      listTasks: async (query) => store().lists.listTasks(query),
      countTasks: async (query) => store().lists.countTasks(query),
      readEvents: async (id, range) => store().journal.readEvents(id, range),
      readItems: async (id, range) => store().journal.readItems(id, range),
      readChunk: async (id, artifact, index) => store().artifacts.read(id, artifact, index),
      getDocument: async (kind, id) => store().documentFiles.get(kind, id),
      listIdleDocuments: async (request) => store().documentFiles.listIdle(request),
    },
    async describeTask(id) {
      const { epoch, worker, chain } = (await store().reader.require(id)).view.header;
      return { folder: taskFolder(store().context.layout, id), epoch, worker, journalFiles: chain.length + 1 };
    },
    measure: async () => measure(store()),
    processes: async () => store().workers.listProcesses(),
    unlistedIds: () => unlistedIds(store),
    documents: () => documents(store),
    async check() {
      const { tasks, problems } = await findProblems(store());
      return { tasks, problems: problems.map(described) };
    },
    repair: async (apply) => repair(store(), apply, machine),
    async migrate() {
      store();
      return { from: layoutVersion, to: layoutVersion };
    },
    write: (work, mayBeMade) => withOpenStore(directory, machine, (open) => writeTo(open, work), mayBeMade),
    close: async () => {},
  };
}

async function writeTo<Result>(open: OpenStore, work: (writing: StoreWriting) => Promise<Result>): Promise<Result> {
  const { reader, book, remover, documentFiles } = open;
  let deleted = false;
  const result = await work({
    getTask: (id) => reader.snapshot(id),
    signal: (id, signal) => signalTask(open, id, signal),
    acquireLease: (request) => book.acquire(request),
    releaseLease: (lease) => book.release(lease),
    commit: (request) => book.writerOf(request.lease).commit(request),
    async deleteTask(lease) {
      deleted = true;
      await remover.remove(lease);
    },
    getDocument: (kind, id) => documentFiles.get(kind, id),
    putDocument: (request) => documentFiles.put(request),
    deleteDocument: (kind, id) => documentFiles.delete(kind, id),
    beginTask: async (task) => beginTask(open, task),
  });
  if (deleted) await open.finished.compact();
  return result;
}

async function measure({ context }: OpenStore): Promise<StoreSizes> {
  const { disk, layout } = context;
  const namesIn = (folder: string) => listIfExists(disk, folder) ?? [];
  const bytes = await bytesIn(disk, layout.directory);
  return {
    bytes,
    countedBytes: bytes,
    disk: disk.fileSystem(layout.directory),
    unfinished: namesIn(layout.open).length,
    documents: namesIn(layout.documents).flatMap((kind) => namesIn(join(layout.documents, kind))).length,
    workers: namesIn(layout.workers).length,
    quarantined: namesIn(layout.quarantine).filter((name) => disk.stat(join(layout.quarantine, name))?.isFolder).length,
  };
}

/** Damaged tasks that no list has: unfinished ones, and those that were set aside before. */
async function* unlistedIds(store: () => OpenStore): AsyncGenerator<string> {
  const { context, finished, reader } = store();
  const setAside = listIfExists(context.disk, context.layout.quarantine) ?? [];
  const read = reader.scan();
  for (const id of new Set([...finished.openIds(), ...setAside])) {
    const isDamaged = await read(id).then(
      () => false,
      (error: unknown) => isResumableError(error, "TASK_CORRUPT"),
    );
    if (isDamaged) yield id;
  }
}

/** A document that cannot be read is a problem for `check`, and in no export. */
async function* documents(store: () => OpenStore): AsyncGenerator<StoredDocument> {
  yield* store().documentFiles.all();
}

async function repair(store: OpenStore, apply: boolean, machine: Machine): Promise<readonly StoreRepair[]> {
  const { problems } = await findProblems(store);
  if (!apply || problems.length === 0) {
    return problems.map((problem) => ({
      problem: described(problem),
      outcome: problem.fix === undefined ? "none" : "would",
    }));
  }
  const { directory } = store.context.layout;
  const repairs = await withOpenStore(directory, machine, (open) => repairProblems(open, problems));
  return repairs.map(({ problem, ...rest }) => ({ problem: described(problem), ...rest }));
}

function described({ fix, ...problem }: Problem): StoreProblem {
  return { ...problem, fix: fix?.description };
}
