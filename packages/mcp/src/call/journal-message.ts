import type { Json, JsonObject, LogLevel } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import { metaKeys } from "@resumable-mcp/protocol";

/** What a caller receives of one event of a journal. */
export type JournalMessage =
  | {
      readonly kind: "progress";
      readonly seq: number;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
      /** It stands in place of events that compaction dropped. */
      readonly snapshot?: true;
    }
  | { readonly kind: "log"; readonly seq: number; readonly level: LogLevel; readonly data: Json };

/** What a caller knows already. */
export interface Shown {
  readonly progress?: number;
  readonly total?: number;
}

/**
 * Maps one event of a journal to what a caller receives of it, and to what the caller knows then.
 *
 * The one place that does: first delivery, delivery after a crash and `wait_for_task` say the same. At most one
 * message an event, so that an event's seq can be the message's place in a stream.
 *
 * Ordering: progress only rises. Source: MCP, Utilities, "Progress" ("the progress value MUST increase").
 */
export function journalMessage(
  followed: Followed,
  shown: Shown,
  taskId: string,
): { message?: JournalMessage; shown: Shown } {
  if (followed.kind === "snapshot") {
    const { lastSeq, progress, total, message } = followed.record;
    return risen(shown, { seq: lastSeq, progress, snapshot: true, total, message });
  }
  const { event } = followed;
  const { seq } = event;
  if (event.type === "log") return { message: { kind: "log", seq, level: event.level, data: event.data }, shown };
  if (event.type === "restarted" && !event.fromState) {
    const data = `The task begins again: generation ${event.generation}.`;
    return { message: { kind: "log", seq, level: "notice", data }, shown };
  }
  if (event.type === "refused") {
    return { message: { kind: "log", seq, level: "warning", data: event.message }, shown };
  }
  if (event.type === "attempt_ended" && event.reason === "paused") {
    return { message: { kind: "log", seq, level: "info", data: `Task ${taskId} paused` }, shown };
  }
  if (event.type !== "checkpoint" || event.progress === undefined) return { shown };
  const total = event.total ?? shown.total;
  return risen(shown, { seq, progress: event.progress, total, message: event.message });
}

/** The place in the journal up to which something tells of a task. */
export function readSeq(followed: Followed): number {
  return followed.kind === "event" ? followed.event.seq : followed.record.lastSeq;
}

type Progress = Omit<Extract<JournalMessage, { kind: "progress" }>, "kind">;

function risen(shown: Shown, next: Progress): { message?: JournalMessage; shown: Shown } {
  const known: Shown = { ...shown, total: next.total ?? shown.total };
  if (shown.progress !== undefined && next.progress <= shown.progress) return { shown: known };
  return { message: { kind: "progress", ...next }, shown: { ...known, progress: next.progress } };
}

/** A notification as it goes over the wire, without the JSON-RPC envelope. */
export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Makes the notification for a message; none for progress when the caller did not ask for it.
 *
 * Source: MCP, Utilities, "Progress" and "Logging".
 */
export function toNotification(
  message: JournalMessage,
  call: { readonly taskId: string; readonly tool: string; readonly progressToken?: string | number | undefined },
): Notification | undefined {
  const _meta = { [metaKeys.taskId]: call.taskId, [metaKeys.seq]: message.seq };
  if (message.kind === "log") {
    const { level, data } = message;
    return { method: "notifications/message", params: { level, logger: call.tool, data, _meta } };
  }
  if (call.progressToken === undefined) return undefined;
  const { kind: _kind, seq: _seq, snapshot, ...progress } = message;
  const marked = snapshot === true ? { ..._meta, [metaKeys.snapshot]: true } : _meta;
  return {
    method: "notifications/progress",
    params: { progressToken: call.progressToken, ...progress, _meta: marked },
  };
}
