import { type ClientEvent, isClientError, type TaskResult } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import { formatDuration, progressLine } from "../display/progress-line.js";
import type { CommandContext } from "./command.js";
import { exitCodeOfInterrupt, exitCodeOfResult, exitCodes } from "./exit-code.js";
import type { Interrupt } from "./interrupts.js";
import type { Output } from "./output.js";
import { printResult } from "./print-result.js";

/** A call or a task that can be followed to its end. */
export interface Followable {
  /** Absent for a plain call, which ends with this program. */
  readonly taskId?: string;
  readonly name: string;
  events(): AsyncIterableIterator<ClientEvent>;
  result(): Promise<TaskResult>;
}

type Stop = Interrupt | "timeout";

/**
 * Shows what happens to a task until it ends, and resolves to the exit code.
 *
 * Cancellation: Ctrl-C and the end of the time leave the task as it is, or as `--on-interrupt` says, and print how to
 * come back. A task that stands still is left, too, unless `--wait` says otherwise.
 */
export async function followToEnd(context: CommandContext, target: Followable): Promise<number> {
  context.onFollow();
  const stop = waitForStop(context);
  const left = await showEvents(context, target, stop.reason);
  stop.clear();
  if (left === undefined) {
    const result = await target.result();
    printResult(context.output, result);
    return exitCodeOfResult(result);
  }
  return typeof left === "number" ? left : leave(context, target, left);
}

/** Shows events until the end (`undefined`), a stop from outside, or an exit code of its own. */
async function showEvents(
  context: CommandContext,
  target: Followable,
  stop: Promise<Stop>,
): Promise<Stop | number | undefined> {
  const events = target.events();
  const started = context.clock();
  const asking = new AbortController();
  try {
    for (;;) {
      const next = await Promise.race([events.next(), stop]);
      if (typeof next === "string") return next;
      if (next.done === true) return undefined;
      const { value: event } = next;
      if (context.output.json) context.output.object({ ...event, ...taskIdOf(target) });
      else
        showEvent(
          context.output,
          eventLine(event, {
            name: target.name,
            elapsedMs: context.clock() - started,
            columns: context.output.columns - 1,
          }),
        );
      const code = stepAside(context, target, event, asking.signal);
      if (code !== undefined) return code;
    }
  } finally {
    asking.abort();
    // Not awaited: it ends when the wait in flight does.
    events.return?.().catch(() => undefined);
  }
}

function taskIdOf({ taskId }: Followable): { readonly task_id?: string } {
  return taskId === undefined ? {} : { task_id: taskId };
}

function showEvent(output: Output, line: EventLine | undefined): void {
  if (line === undefined) return;
  if (line.passing) output.progress(line.text);
  else output.note(line.text);
}

/** Decides whether a task that stands still is left, and how its questions are asked. */
function stepAside(
  context: CommandContext,
  target: Followable,
  event: ClientEvent,
  signal: AbortSignal,
): number | undefined {
  const { client, line, output, ask } = context;
  const { taskId } = target;
  if (taskId === undefined) return undefined;
  if (event.type === "status" && event.status === "paused" && !line.wait) {
    output.note(`Paused. Resume with: resumable-mcp resume ${taskId}`);
    return exitCodes.paused;
  }
  if (event.type !== "question") return undefined;
  const { question } = event;
  if (ask !== undefined) {
    ask(question, signal)
      .then((answer) => client.task(taskId).answer(question.key, answer))
      .catch((error: unknown) => {
        if (!signal.aborted) output.note(error instanceof Error ? error.message : String(error));
      });
    return undefined;
  }
  if (line.wait) return undefined;
  output.note(`Answer with: resumable-mcp answer ${taskId} ${question.key} key=value`);
  return exitCodes.inputRequired;
}

function waitForStop({ line, interrupts }: CommandContext): { readonly reason: Promise<Stop>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Stop>((resolve) => {
    if (line.timeoutMs !== undefined) timer = setTimeout(() => resolve("timeout"), line.timeoutMs);
  });
  return { reason: Promise.race([interrupts.next(), timeout]), clear: () => clearTimeout(timer) };
}

async function leave(
  { client, line, output }: CommandContext,
  { taskId, name }: Followable,
  stop: Stop,
): Promise<number> {
  const code = stop === "timeout" ? exitCodes.unfinished : exitCodeOfInterrupt(stop);
  if (taskId === undefined) {
    output.note(`Stopped waiting for ${name}. Its server keeps no tasks, so its result is lost.`);
    return code;
  }
  const back = `Come back with: resumable-mcp watch ${taskId}`;
  if (stop !== "SIGINT" || line.onInterrupt === "detach") {
    output.note(`The task continues on its server. ${back}`);
    return code;
  }
  try {
    const task = client.task(taskId);
    await (line.onInterrupt === "pause" ? task.pause() : task.cancel());
    output.note(line.onInterrupt === "pause" ? `Paused. Resume with: resumable-mcp resume ${taskId}` : "Cancelled.");
  } catch (error) {
    output.note(
      `The request to ${line.onInterrupt} it failed: ${isClientError(error) ? error.message : String(error)} ${back}`,
    );
  }
  return code;
}

/** What a person reads of an event; a passing line is overwritten by the next. */
export interface EventLine {
  readonly text: string;
  readonly passing: boolean;
}

/** Says an event on one line, or nothing where it does not matter to a person. */
export function eventLine(
  event: ClientEvent,
  look: { readonly name: string; readonly elapsedMs: number; readonly columns: number },
): EventLine | undefined {
  const { name, elapsedMs, columns } = look;
  switch (event.type) {
    case "progress":
      return { text: progressLine({ ...event, name, elapsedMs }, columns), passing: true };
    case "log":
      return event.level === "debug" ? undefined : { text: `${event.level}: ${logText(event.data)}`, passing: false };
    case "reconnecting": {
      const delay = formatDuration(event.nextDelayMs + 999);
      return { text: `${name}: connection lost (${plainText(event.reason)}); next attempt in ${delay}`, passing: true };
    }
    case "reconnected":
      return { text: "connected again", passing: false };
    case "session_changed":
      return { text: "server's session id changed; your tasks are kept", passing: false };
    case "question":
      return { text: `The task asks: ${plainText(event.question.message)}`, passing: false };
    case "dropped":
      return { text: `${event.count} log messages left out`, passing: false };
    case "status":
      return undefined;
  }
}

function logText(data: Extract<ClientEvent, { type: "log" }>["data"]): string {
  return plainText(typeof data === "string" ? data : JSON.stringify(data));
}
