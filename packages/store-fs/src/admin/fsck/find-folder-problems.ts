import { join } from "node:path";
import { taskFolder } from "../../disk/layout.js";
import { listIfExists, readFrom } from "../../disk/whole-file.js";
import { lookAt, parseSignal } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { parseTaskDocument } from "../../task/task-documents.js";
import { parseAnswer } from "../../task/task-signals.js";
import { documentAhead } from "./document-ahead.js";
import { leftDraft } from "./left-draft.js";
import { moveAside } from "./move-aside.js";
import type { Problem } from "./problem.js";
import { settleTask } from "./settle-task.js";
import { holderOf } from "./task-holder.js";

/** What is wrong in the folder of a task whose journal is sound. */
export function findFolderProblems(store: OpenStore, reading: TaskReading): readonly Problem[] {
  const { disk, layout } = store.context;
  const taskId = reading.record.id;
  const folder = taskFolder(layout, taskId);
  const byName = (listIfExists(disk, folder) ?? []).flatMap((name) =>
    problemOf(store, taskId, join(folder, name), name),
  );
  // Whoever holds the task is writing these files.
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
    const remedy = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
    return [{ kind: "damaged_answer", severity: "damage", taskId, path, message, remedy }];
  }
  if (name === "task.json") {
    const text = read()?.toString("utf8");
    if (text === undefined) return [];
    if (parseTaskDocument(text) !== undefined) return documentAhead(store, taskId, path);
    const message = "the copy for reading is damaged; the journal has all";
    const remedy = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
    return [{ kind: "damaged_document", severity: "harmless", taskId, path, message, remedy }];
  }
  if (name.startsWith(".draft.")) return leftDraft(store.context, path);
  const message = name.startsWith("deleted.") ? "a deletion that never came to be" : "not a file of the store";
  const remedy = moveAside(path, message, { name: `${taskId}.${name}`, taskId });
  return [
    { kind: name.startsWith("deleted.") ? "leftover" : "foreign", severity: "harmless", taskId, path, message, remedy },
  ];
}

/** What the next process that takes the task puts right by taking it. */
function findLoose(store: OpenStore, { view, record }: TaskReading): readonly Problem[] {
  const { disk, layout } = store.context;
  const taskId = record.id;
  const state = lookAt(disk, taskFolder(layout, taskId));
  if (state === undefined) return [];
  const remedy = { says: "take the task over and give it back, as the next process would", apply: settleTask(taskId) };
  const problem = (kind: "torn" | "orphaned", path: string, message: string): Problem => ({
    kind,
    severity: "harmless",
    taskId,
    path,
    message,
    remedy,
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
