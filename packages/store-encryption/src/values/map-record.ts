import type { TaskRecord } from "@resumable-mcp/core";
import type { NewSignal, NewTask, Remembered, Signal, TaskSummary } from "@resumable-mcp/core/store";
import { mapTask } from "./map-event.js";
import type { OpeningValues, TaskValues } from "./task-values.js";

/** Seals or opens a record. @param before a record of the same task and what it is mapped to: what both have in common is taken from it. */
export function mapRecord(record: TaskRecord, values: TaskValues, before?: MappedRecord): TaskRecord {
  const same = <Name extends keyof TaskRecord>(name: Name): boolean => before?.given[name] === record[name];
  const sameTask = same("input") && same("owner") && same("tool") && same("key") && same("session") && same("label");
  const task: Partial<NewTask> =
    sameTask && before !== undefined ? taskOf(before.mapped) : mapTask(taskOf(record), values);
  const of = <Name extends keyof TaskRecord>(name: Name, map: (value: NonNullable<TaskRecord[Name]>) => unknown) => {
    const value = record[name];
    if (value === undefined) return {};
    const mapped =
      before !== undefined && same(name) ? before.mapped[name] : map(value as NonNullable<TaskRecord[Name]>);
    return { [name]: mapped };
  };
  return {
    ...record,
    ...changedFields(task),
    ...of("message", (message) => values.text("message", message)),
    ...(record.state !== undefined && of("state", (state) => values.value("state", state))),
    ...of("refused", (refused) =>
      refused.message === undefined ? refused : { ...refused, message: values.text("message", refused.message) },
    ),
    ...of("waitsFor", (keys) => keys.map((key) => values.key(key))),
    ...of("error", (error) => values.failure(error)),
    remembered: mapRemembered(record.remembered, values, before),
    ...(record.output !== undefined && of("output", (output) => values.value("output", output))),
  };
}

/** A record as it was given, and what became of it. */
export interface MappedRecord {
  readonly given: TaskRecord;
  readonly mapped: TaskRecord;
}

function taskOf(record: TaskRecord): NewTask {
  const { id, owner, tool, toolVersion, key, input, session, detached, ttlMs, label } = record;
  return {
    id,
    owner,
    tool,
    toolVersion,
    key,
    input,
    detached,
    ttlMs,
    ...(session !== undefined && { session }),
    ...(label !== undefined && { label }),
  };
}

/** What sealing changes of a task. */
function changedFields({ owner, key, input, session, label }: Partial<NewTask>): Partial<NewTask> {
  return {
    ...(owner !== undefined && { owner }),
    ...(key !== undefined && { key }),
    ...(input !== undefined && { input }),
    ...(session !== undefined && { session }),
    ...(label !== undefined && { label }),
  };
}

type AllRemembered = TaskRecord["remembered"];

/** Stores hand on what did not change: only what is new is mapped. */
function mapRemembered(remembered: AllRemembered, values: TaskValues, before?: MappedRecord): AllRemembered {
  if (before !== undefined && before.given.remembered === remembered) return before.mapped.remembered;
  const mapped: Record<string, Remembered> = {};
  for (const [given, entry] of Object.entries(remembered)) {
    const key = values.key(given);
    const known =
      before !== undefined && Object.hasOwn(before.given.remembered, given) && before.given.remembered[given];
    const value = known === entry ? before?.mapped.remembered[key] : mapEntry(entry, values, values.sealed(given, key));
    // A plain assignment of "__proto__" would set the prototype.
    Object.defineProperty(mapped, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return mapped;
}

function mapEntry(entry: Remembered, values: TaskValues, sealedKey: string): Remembered {
  switch (entry.kind) {
    case "step":
      return { kind: "step", value: values.value("step", entry.value, sealedKey) };
    case "sleep":
      return entry;
    case "question":
      return { kind: "question", question: values.question(entry.question, sealedKey) };
    case "answer": {
      const question = values.question(entry.question, sealedKey);
      return { kind: "answer", question, answer: values.answer(entry.answer, sealedKey) };
    }
  }
}

/** Seals or opens a signal: an answer that waits for the process that takes it. */
export function mapSignal<Given extends Signal | NewSignal>(signal: Given, values: TaskValues): Given {
  if (signal.kind !== "answer") return signal;
  const key = values.key(signal.key);
  const answer = values.answer(signal.answer, values.sealed(signal.key, key), "given answer");
  return { ...signal, key, answer };
}

/** Opens what lists have of a task. */
export function openSummary(summary: TaskSummary, values: OpeningValues): TaskSummary {
  const { owner, label, message, session, error } = summary;
  return {
    ...summary,
    owner: values.owner(owner),
    ...(label !== undefined && { label: values.text("label", label) }),
    ...(message !== undefined && { message: values.text("message", message) }),
    ...(session !== undefined && { session: values.session(session) }),
    ...(error !== undefined && { error: values.failure(error) }),
  };
}
