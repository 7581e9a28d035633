import { join } from "node:path";
import { journalName, taskFolder } from "../../disk/layout.js";
import { quarantineCopy } from "../../disk/quarantine.js";
import { listIfExists, readFrom } from "../../disk/whole-file.js";
import { lookAt, parseSignal } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { parseTaskDocument } from "../../task/task-documents.js";
import { parseAnswer } from "../../task/task-signals.js";
import { documentAhead } from "./lost-history.js";
import type { Problem } from "./problem.js";
import { holderOf, leftDraft, moveAside, RepairRefused, refuseIfHeld } from "./problem.js";

/** What is wrong in the folder of a task whose journal is sound. */
export function findFolderProblems(store: OpenStore, reading: TaskReading): readonly Problem[] {
  const { disk, layout } = store.context;
  const taskId = reading.record.id;
  const folder = taskFolder(layout, taskId);
  const byName = (listIfExists(disk, folder) ?? []).flatMap((name) =>
    problemOf(store, taskId, join(folder, name), name),
  );
  // The process that holds the task is writing these files.
  return holderOf(store, taskId) === undefined ? [...byName, ...findLoose(store, reading)] : byName;
}

const ours = /^(journal\.\d+\.jsonl|lease\.\d+\..+|quiet\.\d+\..+|items)$/;

function problemOf(store: OpenStore, taskId: string, path: string, name: string): readonly Problem[] {
  if (ours.test(name) || parseSignal(name) !== undefined) return [];
  const read = () => readFrom(store.context.disk, path);
  if (name.startsWith("answer.")) {
    const bytes = read();
    if (bytes === undefined || parseAnswer(bytes) !== undefined) return [];
    const message = "the answer cannot be read, and no other one to its question is taken";
    const fix = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
    return [{ kind: "damaged_answer", severity: "damage", taskId, path, message, fix }];
  }
  if (name === "task.json") {
    const text = read()?.toString("utf8");
    if (text === undefined) return [];
    if (parseTaskDocument(text) !== undefined) return documentAhead(store, taskId, path);
    const message = "the copy for reading is damaged; the journal has all";
    const fix = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
    return [{ kind: "damaged_document", severity: "harmless", taskId, path, message, fix }];
  }
  if (name.startsWith(".draft.")) return leftDraft(store.context, path);
  const message = name.startsWith("deleted.") ? "a deletion that never came to be" : "not a file of the store";
  const fix = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
  return [
    { kind: name.startsWith("deleted.") ? "leftover" : "foreign", severity: "harmless", taskId, path, message, fix },
  ];
}

/** What the next process that takes the task puts right by taking it. */
function findLoose(store: OpenStore, { view, record }: TaskReading): readonly Problem[] {
  const { disk, layout } = store.context;
  const taskId = record.id;
  const state = lookAt(disk, taskFolder(layout, taskId));
  if (state === undefined) return [];
  const fix = {
    description: "take the task over and give it back, as the next process would",
    apply: takeAndGiveBack(taskId),
  };
  const problem = (kind: "torn" | "orphaned", path: string, message: string): Problem => ({
    kind,
    severity: "harmless",
    taskId,
    path,
    message,
    fix,
  });
  // Zeros are room that was made beforehand.
  const rest = readFrom(disk, view.path, view.offset)?.filter((byte) => byte !== 0).byteLength ?? 0;
  const sealed = new Set([view.header.epoch, ...view.header.chain.map(({ epoch }) => epoch)]);
  const loose = state.epochs.filter((epoch) => !sealed.has(epoch));
  return [
    ...(rest > 0 ? [problem("torn", view.path, `${rest} bytes of half a line`)] : []),
    ...loose.map((epoch) =>
      problem("orphaned", join(taskFolder(layout, taskId), `journal.${epoch}.jsonl`), "counts for nothing"),
    ),
  ];
}

/** How long the repair may hold a task, should it die while it does. */
const ttlMs = 15_000;

/**
 * Takes a task over and gives it back: the one mechanism that repairs torn and orphaned journals. Those that
 * count for nothing are removed by it, so what they hold is kept in `quarantine/` first.
 */
export function takeAndGiveBack(taskId: string): (store: OpenStore) => Promise<void> {
  return async (store) => {
    refuseIfHeld(store, taskId);
    await keepLoose(store, taskId);
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    const taken = await store.book.acquire({ taskId, worker: "repair", ttlMs, now });
    if (taken === undefined) throw new RepairRefused("another process took the task just now");
    await store.book.release(taken.lease);
  };
}

async function keepLoose({ context, reader }: OpenStore, taskId: string): Promise<void> {
  const { disk, layout } = context;
  const { view } = await reader.require(taskId);
  const sealed = new Set([view.header.epoch, ...view.header.chain.map(({ epoch }) => epoch)]);
  const folder = taskFolder(layout, taskId);
  for (const epoch of lookAt(disk, folder)?.epochs ?? []) {
    const path = join(folder, journalName(epoch));
    if (sealed.has(epoch) || (disk.stat(path)?.size ?? 0) === 0) continue;
    quarantineCopy(context, path, `${taskId}.${journalName(epoch)}`, "an epoch that counts for nothing");
  }
}
