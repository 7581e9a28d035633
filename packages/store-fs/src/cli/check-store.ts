import { join } from "node:path";
import { isFinal, reduceTask, type TaskRecord } from "@resumable-mcp/core";
import { DamagedFile } from "../checked-line.js";
import { journalLines } from "../journal-range.js";
import { journalName, taskFolder } from "../layout.js";
import type { OpenStore } from "../open-store.js";
import { chainThrough } from "../take-over.js";
import type { TaskReading } from "../task-reader.js";
import { listIfExists } from "../whole-file.js";
import type { CommandResult } from "./command.js";

/** Something in a store's folder that is not as it should be. */
interface Problem {
  readonly taskId?: string;
  /** `damaged` cannot be read; `unlisted` is put right by the next process that lists open tasks. */
  readonly kind: "damaged" | "unlisted" | "quarantined";
  readonly message: string;
}

/** Reads all of every task, a file at a time. */
export async function checkStore(store: OpenStore): Promise<CommandResult> {
  const problems: Problem[] = quarantined(store);
  let tasks = 0;
  for (const taskId of taskIds(store)) {
    tasks += 1;
    problems.push(...(await checkTask(store, taskId)));
  }
  const json = { store: store.context.layout.directory, tasks, problems };
  const lines = problems.map(({ kind, taskId, message }) => [kind, taskId, message].filter(Boolean).join("  "));
  const text = [`${tasks} tasks read, ${problems.length} problems`, ...lines].join("\n");
  return { json, text, ok: problems.length === 0 };
}

function* taskIds({ context }: OpenStore): Generator<string> {
  const { disk, layout } = context;
  for (const shard of listIfExists(disk, layout.tasks) ?? [])
    yield* listIfExists(disk, join(layout.tasks, shard)) ?? [];
}

function quarantined({ context }: OpenStore): Problem[] {
  const { disk, layout } = context;
  return (listIfExists(disk, layout.quarantine) ?? [])
    .filter((name) => !name.endsWith(".report.json"))
    .map((name) => ({ kind: "quarantined", message: join(layout.quarantine, name) }));
}

async function checkTask(store: OpenStore, taskId: string): Promise<readonly Problem[]> {
  try {
    const reading = await store.reader.read(taskId);
    if (reading === undefined) return [];
    checkJournal(store, reading);
    return checkMarker(store, reading.record);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof DamagedFile ? error.cause : error;
    return [{ taskId, kind: "damaged", message: cause instanceof Error ? cause.message : String(cause) }];
  }
}

/** Reads every line of every file that counts. Where nothing was compacted they fold to the task's record. */
function checkJournal({ context }: OpenStore, { view, record }: TaskReading): void {
  const folder = taskFolder(context.layout, record.id);
  const chain = chainThrough(view);
  const isWhole = chain[0]?.base === 0;
  let folded: TaskRecord | undefined;
  for (const entry of chain) {
    for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
      if (isWhole) folded = reduceTask(folded, commit.events);
    }
  }
  if (isWhole && folded?.lastSeq !== record.lastSeq) {
    throw new DamagedFile(view.path, 0, `the journal folds to seq ${folded?.lastSeq}, not to ${record.lastSeq}`);
  }
}

function checkMarker({ context }: OpenStore, { id, status }: TaskRecord): readonly Problem[] {
  const isMarked = context.disk.stat(join(context.layout.open, id)) !== undefined;
  if (isMarked !== isFinal(status)) return [];
  const message = isMarked ? "finished, and still marked as open" : "unfinished, and not marked as open";
  return [{ taskId: id, kind: "unlisted", message }];
}
