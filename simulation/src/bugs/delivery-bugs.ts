import type { Bug } from "./bug.js";

/** What callers get twice, not at all, or of another task. */
export const deliveryBugs: readonly Bug[] = [
  {
    name: "a result counts as delivered before it is written",
    file: "mcp/src/call/result-delivered.ts",
    find: '  observe("result.ready");\n',
    replace: '  observe("result.ready");\n  tasks.markDelivered(taskId).catch(() => {});\n',
  },
  {
    name: "a cancellation does not withdraw that a result was delivered",
    file: "mcp/src/era-2025/session/client-messages.ts",
    find: "    const isKnown = calls.withdraw(requestId);",
    replace: "    const isKnown = requestId === undefined;",
    shows: "leaving",
  },
  {
    name: "that a caller left while its process stood still is not heard before its result is sent",
    file: "mcp/src/call/result-delivered.ts",
    find: "  await nextTurn();\n  await nextTurn();",
    replace: "",
    shows: "leaving",
  },
  {
    name: "a result that was not delivered is not given again",
    file: "core/src/task/task-rules.ts",
    find: "  return !isDelivered(snapshot) && finishedMs + reuseResultMs > nowMs;",
    replace: "  return !isDelivered(snapshot) && finishedMs + reuseResultMs < 0 * nowMs;",
  },
  {
    name: "a call that comes late gets no result that was delivered since it was accepted",
    file: "core/src/engine/owner/start-task.ts",
    find: "    const acceptedMs = acceptedLateMs(request, now.wallMs);",
    replace: "    const acceptedMs = acceptedLateMs({ ...request, acceptedMs: undefined }, now.wallMs);",
  },
  {
    name: "the same call after a failure begins a new task",
    file: "core/src/engine/owner/start-task.ts",
    find: '=== "restart" ? 0 : fixedLimits.maxContinueTries;',
    replace: '=== "restart" ? 0 : 0 * fixedLimits.maxContinueTries;',
  },
  {
    name: "a follower begins one event too late after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = afterSeq > 0 ? afterSeq + 1 : 0;",
  },
  {
    name: "a follower sees the last event again after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = Math.max(0, afterSeq - 1);",
  },
  {
    name: "a stream that a client takes up again begins one event too late",
    file: "mcp/src/era-2025/session/client-requests.ts",
    find: "this.#parts.deliveries.deliver(inFlight, { after,",
    replace: "this.#parts.deliveries.deliver(inFlight, { after: { ...after, place: after.place + 1 },",
  },
  {
    name: "a stream that a client takes up again begins from the start",
    file: "mcp/src/era-2025/session/client-requests.ts",
    find: "this.#parts.deliveries.deliver(inFlight, { after,",
    replace: "this.#parts.deliveries.deliver(inFlight, {",
  },
  {
    name: "the cursor of a cancelled call is refused as wrong",
    file: "mcp/src/era-2025/session/client-requests.ts",
    find: "    return lost ?? nothingLeft();",
    replace: "    return lost ?? aheadEvent();",
  },
  {
    name: "a client is to come back before a server is there again",
    file: "mcp/src/limits.ts",
    find: "  retryMs: 7_500,",
    replace: "  retryMs: 1_500,",
  },
  {
    name: "a second answer takes the place of the first",
    file: "store-fs/src/task/task-signals.ts",
    find: "  if (!isAnswered(after.view, key) || after.view.consumed.has(id)) return;",
    replace: "  if (isAnswered(after.view, key) || !isAnswered(after.view, key)) return;",
    shows: "requests",
  },
  {
    name: "a question whose answer could not be stored is not shown again",
    file: "mcp/src/era-2025/session/server-requests.ts",
    find: "    if (asked !== undefined) this.#showLater(asked.inFlight, asked.request);",
    replace: "    void asked;",
    shows: "questions",
  },
  {
    name: "a task that never had its call is there for requests that name it",
    file: "store-fs/src/task/task-reader.ts",
    find: "    return isMarked || this.#parts.isClaimed(taskId) ? reading : undefined;",
    replace: "    return isMarked || this.#parts.isClaimed(taskId) ? reading : reading;",
    shows: "names",
  },
  {
    name: "a caller whose time ends with the task gets the result and not what led to it",
    file: "mcp/src/call/follow-call.ts",
    find: "    if (isFinal(view.status) && seenSeq < view.record.lastSeq) await show(call.signal, view.record.lastSeq);\n",
    replace: "",
  },
  {
    name: "a round trip names the last event of its task, not the last one that was shown",
    file: "mcp/src/era-2026/call-tool.ts",
    find: "requestState: await sign(taskId, ending.seenSeq) };",
    replace: "requestState: await sign(taskId, ending.view.record.lastSeq) };",
    shows: "drains",
  },
  {
    name: "a cancellation that the store cannot read ends the process",
    file: "mcp/src/era-2025/session/calls/in-flight-calls.ts",
    find: "    await Promise.all([this.cancelElsewhere(inFlight.request.id, rights, atMs), this.#stopTask(inFlight.taskId)]);",
    replace:
      "    const stopped = this.#stopTask(inFlight.taskId);\n    await this.cancelElsewhere(inFlight.request.id, rights, atMs);\n    await stopped;",
    shows: "cancels",
  },
];
