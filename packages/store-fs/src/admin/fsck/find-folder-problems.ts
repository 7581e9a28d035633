import { basename, join } from "node:path";
import { isFinal, isResumableError } from "@resumable-mcp/core";
import { artifactsOf } from "@resumable-mcp/core/store";
import { journalFiles, journalName, taskFolder } from "../../disk/layout.js";
import { quarantineCopy } from "../../disk/quarantine.js";
import type { StoreContext } from "../../disk/store-context.js";
import { listIfExists, readFrom } from "../../disk/whole-file.js";
import { parseSignal } from "../../journal/task-folder.js";
import { type FoldedJournal, lostEnd, newestView } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import { artifactName } from "../../task/artifact-files.js";
import type { TaskReading } from "../../task/held-task.js";
import { parseTaskDocument } from "../../task/task-documents.js";
import { parseAnswer } from "../../task/task-signals.js";
import { adminTtlMs, present } from "../open-folder.js";
import {
  type Fix,
  findHolder,
  moveAside,
  type Problem,
  type ProblemKind,
  RepairRefused,
  refuseIfHeld,
  setAside,
  strayFile,
} from "./problem.js";

/** What is wrong in the folder of a task whose journal is sound. */
export function findFolderProblems(store: OpenStore, reading: TaskReading): readonly Problem[] {
  const { disk, layout } = store.context;
  const taskId = reading.record.id;
  const folder = taskFolder(layout, taskId);
  const byName: Problem[] = (listIfExists(disk, folder) ?? []).flatMap((name) =>
    problemOf(store, taskId, join(folder, name), name),
  );
  byName.push(...findDamagedArtifacts(store, reading));
  // The process that holds the task is writing these files.
  return findHolder(store, taskId) === undefined ? [...byName, ...findLoose(store, reading)] : byName;
}

/** Artifacts that the task names. Those of attempts that died count for nothing, and go with the next one. */
function findDamagedArtifacts(
  { artifacts, context }: OpenStore,
  { record }: Pick<TaskReading, "record">,
): readonly Problem[] {
  return artifactsOf(record).flatMap(({ artifact, bytes }) => {
    let message: string | undefined;
    try {
      let chunks = 0;
      while (artifacts.read(record.id, artifact, chunks) !== undefined) chunks += 1;
      if (chunks === 0 && bytes > 0) message = "the file of the artifact is missing";
    } catch (error) {
      if (!isResumableError(error, "TASK_CORRUPT")) throw error;
      message = error.message;
    }
    const path = join(taskFolder(context.layout, record.id), artifactName(artifact));
    return message === undefined
      ? []
      : [{ kind: "damaged_artifact", severity: "damage", taskId: record.id, path, message }];
  });
}

const ours = /^(journal\.\d+\.jsonl|lease\.\d+\..+|quiet\.\d+\..+|artifact\..+|items)$/;

function problemOf(store: OpenStore, taskId: string, path: string, name: string): readonly Problem[] {
  if (ours.test(name) || parseSignal(name) !== undefined) return [];
  if (name.startsWith(".draft.")) return strayFile(store.context, path);
  const found = (kind: ProblemKind, severity: Problem["severity"], message: string): readonly Problem[] => [
    { kind, severity, taskId, path, message, fix: moveAside(path, message, { name: `${taskId}.${name}`, taskId }) },
  ];
  if (name.startsWith("answer.")) {
    const bytes = readFrom(store.context.disk, path);
    if (bytes === undefined || parseAnswer(bytes) !== undefined) return [];
    return found("damaged_answer", "damage", "the answer cannot be read, and its question accepts no other answer");
  }
  if (name === "task.json") {
    const text = readFrom(store.context.disk, path)?.toString("utf8");
    if (text === undefined) return [];
    const document = parseTaskDocument(text);
    if (document !== undefined) return documentAhead(store, taskId, path, document);
    return found("damaged_document", "harmless", "the copy for reading is damaged; the journal holds everything");
  }
  return found("foreign", "harmless", "not a file of the store");
}

/**
 * A document that shows a later event than the journal holds: the journal lost its end, or the folder was copied while a
 * server ran. A task that had finished must not run again; any other continues from what its journal holds.
 */
function documentAhead(
  { context }: OpenStore,
  taskId: string,
  path: string,
  { incarnation, record }: NonNullable<ReturnType<typeof parseTaskDocument>>,
): readonly Problem[] {
  // Read after the document: a journal only grows.
  const view = newestView(context, taskId);
  if (view === undefined || incarnation !== view.header.incarnation) return [];
  const [shown, held] = [record.lastSeq, view.record.lastSeq];
  if (shown <= held) return [];
  const message = `shows event ${shown}, and the journal ends with event ${held}: the journal lost its end, or the folder was copied while a server ran`;
  const goOn: Fix = {
    ...moveAside(path, message, { name: `${taskId}.task.json`, taskId }),
    description: `keep it in quarantine/, and let the task continue from event ${held}`,
  };
  const fix = isFinal(record.status) ? setAside(taskId, lostEnd(view, shown)) : goOn;
  return [{ kind: "lost_end", severity: "damage", taskId, path, message, fix }];
}

/** What the next process that takes the task puts right by taking it. */
function findLoose({ context }: OpenStore, { view, record }: TaskReading): readonly Problem[] {
  const taskId = record.id;
  const description = "take the task over and give it back, as the next process would";
  const fix: Fix = { description, apply: (store) => takeAndGiveBack(store, taskId) };
  const loose = looseJournals(context, view).map((path): Problem => {
    return { kind: "orphaned", severity: "harmless", taskId, path, message: "a journal that never took effect", fix };
  });
  // Zeros are room that was made beforehand.
  const rest = readFrom(context.disk, view.path, view.offset)?.filter((byte) => byte !== 0).byteLength ?? 0;
  if (rest === 0) return loose;
  const message = `${rest} bytes of an incomplete line`;
  return [{ kind: "torn", severity: "harmless", taskId, path: view.path, message, fix }, ...loose];
}

/** Journals of the task that count for nothing. */
function looseJournals({ disk, layout }: StoreContext, { header }: FoldedJournal): readonly string[] {
  const folder = taskFolder(layout, header.taskId);
  const sealed = new Set([header.epoch, ...header.chain.map(({ epoch }) => epoch)]);
  const loose = journalFiles.list(disk, folder).filter((epoch) => !sealed.has(epoch));
  return loose.map((epoch) => join(folder, journalName(epoch)));
}

/**
 * Takes a task over and gives it back: the one mechanism that repairs torn and orphaned journals. Those that
 * count for nothing are removed by it, so what they hold is kept in `quarantine/` first.
 */
async function takeAndGiveBack(store: OpenStore, taskId: string): Promise<void> {
  const { context, reader, book } = store;
  refuseIfHeld(store, taskId);
  const { view } = await reader.require(taskId);
  for (const path of looseJournals(context, view)) {
    if ((context.disk.stat(path)?.size ?? 0) === 0) continue;
    quarantineCopy(context, path, `${taskId}.${basename(path)}`, "an epoch that never took effect");
  }
  const taken = await book.acquire({ taskId, worker: "repair", ttlMs: adminTtlMs, now: present() });
  if (taken === undefined) throw new RepairRefused("another process took the task just now");
  await book.release(taken.lease);
}
