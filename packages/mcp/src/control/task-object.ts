import type { Engine, JsonObject, TaskView } from "@resumable-mcp/core";
import { present } from "../call/call-meta.js";
import { failureOf, percentOf, questionList } from "../call/tool-result.js";

/** A task as control tools show it; docs/control-tools.md, "The task object". */
export function taskObject(engine: Engine, { record, status, interrupted, questions: open }: TaskView): JsonObject {
  const questions = questionList(open);
  return {
    task_id: record.id,
    task_name: record.tool,
    status,
    interrupted,
    progress: record.progress,
    ...present("total", record.total),
    ...present("progress_percent", record.total === undefined ? undefined : percentOf(record.progress, record.total)),
    ...present("message", record.message),
    attempt: record.attempt,
    generation: record.generation,
    item_count: record.itemCount,
    last_seq: record.lastSeq,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    ...present("finished_at", record.finishedAt),
    ...(questions.length > 0 ? { questions } : {}),
    ...(record.error === undefined ? {} : { error: failureOf(engine, record) }),
  };
}

/** The same for lists, where `progress` is a text such as `15/50`. */
export function listedTask(engine: Engine, view: TaskView): JsonObject {
  const { progress, total } = view.record;
  const shown = total === undefined ? String(progress) : `${progress}/${total}`;
  return { ...taskObject(engine, view), progress: shown, progress_value: progress };
}
