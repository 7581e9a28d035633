import type { NewTask, TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";
import type { TaskValues } from "./task-values.js";

/**
 * Seals or opens what an event brings. A new kind of event, and a new field of a task, do not compile before it is decided here
 * whether they are sealed.
 */
export function mapEvent<Event extends TaskEventBody | TaskEvent>(event: Event, values: TaskValues): Event {
  // Each case gives an event of the same type.
  return { ...event, ...mappedFields(event, values) } as Event;
}

function mappedFields(event: TaskEventBody, values: TaskValues): object {
  switch (event.type) {
    case "created":
      return { task: mapTask(event.task, values) };
    case "checkpoint":
      return {
        ...(event.message !== undefined && { message: values.text("message", event.message) }),
        ...(event.state !== undefined && { state: values.value("state", event.state) }),
        ...(event.items !== undefined && { items: event.items.map((item, index) => values.item(item, index)) }),
      };
    case "step":
    case "sleep":
    case "asked":
    case "answered":
      return mapKeyed(event, values);
    case "waiting":
      return { keys: event.keys.map((key) => values.key(key)) };
    case "log":
      return { data: values.value("log", event.data) };
    case "refused":
      return { message: values.text("message", event.message) };
    case "completed":
      return { output: values.value("output", event.output) };
    case "attempt_ended":
    case "failed":
      return event.error === undefined ? {} : { error: values.failure(event.error) };
    case "cancelled":
      return event.reason === undefined ? {} : { reason: values.text("reason", event.reason) };
    case "attempt_started":
    case "desiredState":
    case "detached":
    case "assigned":
    case "restarted":
      return {};
  }
}

type KeyedEvent = Extract<TaskEventBody, { type: "step" | "sleep" | "asked" | "answered" }>;

function mapKeyed(event: KeyedEvent, values: TaskValues): object {
  const key = values.key(event.key);
  const sealedKey = values.sealed(event.key, key);
  switch (event.type) {
    case "step":
      return { key, value: values.value("step", event.value, sealedKey) };
    case "asked":
      return { key, question: values.question(event.question, sealedKey) };
    case "answered":
      return { key, answer: values.answer(event.answer, sealedKey) };
    case "sleep":
      return { key };
  }
}

/** The input is bound to the owner and the tool: a task that is given to another owner does not open. */
export function mapTask(task: NewTask, values: TaskValues): NewTask {
  const owner = values.owner(task.owner);
  const sealedOwner = values.sealed(task.owner, owner);
  const mapped = {
    id: task.id,
    owner,
    tool: task.tool,
    toolVersion: task.toolVersion,
    key: task.key === null ? null : values.callKey(task.key, sealedOwner),
    input: values.value("input", task.input, inputKey(sealedOwner, task.tool)),
    session: task.session === undefined ? undefined : values.session(task.session),
    detached: task.detached,
    ttlMs: task.ttlMs,
    trace: task.trace,
    label: task.label === undefined ? undefined : values.text("label", task.label),
    offeredVersions: task.offeredVersions,
    ownerQuotas: task.ownerQuotas,
  } satisfies { [Name in keyof Required<NewTask>]: NewTask[Name] };
  return withoutAbsent(mapped);
}

/** What an input is bound to. */
export function inputKey(sealedOwner: string, tool: string): string {
  return JSON.stringify([sealedOwner, tool]);
}

/** A property that is `undefined` is another value than one that is absent, for those who compare. */
export function withoutAbsent<Value extends object>(value: Value): Value {
  for (const name in value) if (value[name] === undefined) delete value[name];
  return value;
}
