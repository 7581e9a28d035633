import type { ClientEvent, TaskResult } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import { formatDuration, progressLine } from "../display/progress-line.js";
import { errorMessage, toText } from "../json.js";
import type { CommandContext, Interrupt } from "./command.js";
import { exitCodeOfInterrupt, exitCodeOfResult, exitCodes } from "./exit-code.js";
import { type Output, printResult } from "./output.js";
import { answerCommand } from "./task-text.js";

/** A call or a task that can be followed to its end. */
export interface Followable {
  /** Absent for a plain call, which ends with this program. */
  readonly taskId?: string;
  readonly name: string;
  events(): AsyncIterableIterator<ClientEvent>;
  result(): Promise<TaskResult>;
}

type Stop = Interrupt | "timeout";

/** Why a task is no longer followed: it ended (`undefined`), a stop from outside, or an exit code. */
type Left = Stop | number | undefined;

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

async function showEvents(context: CommandContext, target: Followable, stop: Promise<Stop>): Promise<Left> {
  const { output, clock } = context;
  const { name, taskId } = target;
  const events = target.events();
  const started = clock();
  let asking = new AbortController();
  let lost = false;
  try {
    for (;;) {
      const next = await Promise.race([events.next(), stop]);
      if (typeof next === "string") return next;
      if (next.done === true) return undefined;
      const { value: event } = next;
      const first = event.type === "reconnecting" && !lost;
      lost = event.type === "reconnecting" || (lost && event.type !== "reconnected");
      if (output.json) output.object({ ...event, task_id: taskId });
      else if (!context.line.quiet || event.type === "question")
        showEvent(output, event, { name, elapsedMs: clock() - started, first });
      // The question was answered elsewhere, or has expired: its prompt goes.
      if (event.type === "status" && event.status !== "input_required") {
        asking.abort();
        asking = new AbortController();
      }
      const code = taskId === undefined ? undefined : stepAside(context, taskId, event, asking.signal);
      if (code !== undefined) return code;
    }
  } finally {
    asking.abort();
    // Not awaited: it ends when the wait in flight does.
    events.return?.().catch(() => undefined);
  }
}

/** Decides whether a task that stands still is left, and how its questions are asked. */
function stepAside(context: CommandContext, taskId: string, event: ClientEvent, signal: AbortSignal): Left {
  const { client, line, output, ask } = context;
  if (event.type === "status" && event.status === "paused" && !line.wait) {
    output.note(pausedText(taskId));
    return exitCodes.paused;
  }
  if (event.type !== "question") return undefined;
  const { question } = event;
  if (ask !== undefined) {
    const say = (error: unknown) => {
      if (!signal.aborted) output.note(errorMessage(error));
    };
    const task = client.task(taskId);
    // An answer that the task refuses leaves its question open.
    const askOnce = (): Promise<unknown> =>
      ask(question, signal).then((answer) =>
        task.answer(question.key, answer).catch(async (error: unknown) => {
          say(error);
          const { questions } = await task.info();
          return !signal.aborted && questions.some(({ key }) => key === question.key) ? askOnce() : undefined;
        }),
      );
    askOnce().catch(say);
    return undefined;
  }
  if (line.wait) return undefined;
  output.note(`Answer with: ${answerCommand(taskId, question)}`);
  return exitCodes.inputRequired;
}

function waitForStop({ line, interrupts }: CommandContext): { readonly reason: Promise<Stop>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Stop>((resolve) => {
    if (line.timeoutMs !== undefined) timer = setTimeout(() => resolve("timeout"), line.timeoutMs);
  });
  return { reason: Promise.race([interrupts.next(), timeout]), clear: () => clearTimeout(timer) };
}

async function leave(context: CommandContext, { taskId, name }: Followable, stop: Stop): Promise<number> {
  const { client, line, output } = context;
  const code = stop === "timeout" ? exitCodes.unfinished : exitCodeOfInterrupt(stop);
  if (taskId === undefined) {
    output.note(`Stopped waiting for ${name}. The server keeps no tasks, so the result of this call is lost.`);
    return code;
  }
  const back = `Come back with: resumable-mcp watch ${taskId}`;
  const { onInterrupt } = line;
  if (stop !== "SIGINT" || onInterrupt === "detach") {
    output.note(`The task continues on its server. ${back}`);
    return code;
  }
  try {
    await client.task(taskId)[onInterrupt]();
    output.note(onInterrupt === "pause" ? pausedText(taskId) : "Cancelled.");
  } catch (error) {
    output.note(`The request to ${onInterrupt} the task failed: ${errorMessage(error)} ${back}`);
  }
  return code;
}

/** What is said of a task that stands still because it was paused. */
function pausedText(taskId: string): string {
  return `Paused. Resume with: resumable-mcp resume ${taskId}`;
}

interface Shown {
  readonly name: string;
  readonly elapsedMs: number;
  /** The first attempt to connect again of several. */
  readonly first: boolean;
}

/** Says an event on one line where it matters to a person: progress is overwritten by the next line, the rest stays. */
function showEvent(output: Output, event: ClientEvent, { name, elapsedMs, first }: Shown) {
  switch (event.type) {
    case "progress":
      return output.progress(progressLine({ ...event, name, elapsedMs }, output.columns - 1));
    case "log":
      return event.level === "debug" ? undefined : output.note(`${event.level}: ${plainText(toText(event.data))}`);
    case "reconnecting": {
      const delay = formatDuration(event.nextDelayMs + 999);
      const lost = `${name}: connection lost (${plainText(event.reason)})`;
      // Above an open prompt the first line of several says it.
      if (output.isAsking() && first) return output.note(`${lost}; connecting again, your answer waits`);
      return output.progress(`${lost}; next attempt in ${delay}`);
    }
    case "reconnected":
      return output.note("connected again");
    case "session_changed":
      return output.note("server's session id changed; your tasks are kept");
    case "question":
      return output.note(`The task asks: ${plainText(event.question.message)}`);
    case "dropped":
      return output.note(`${event.count} log messages left out`);
    case "status":
      return undefined;
  }
}
