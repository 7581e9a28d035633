import { createInterface } from "node:readline/promises";
import type { Client } from "@resumable-mcp/client";
import { harmlessLines, wasInterrupted } from "@resumable-mcp/protocol/display";
import { askInTerminal } from "../command-line/ask-in-terminal.js";
import { exitCodes } from "../command-line/exit-code.js";
import { parseToolArguments } from "../command-line/tool-arguments.js";
import { countText, plainText } from "../display/plain-text.js";
import { titleOf, toolText, toolTitle } from "../display/task-status.js";
import { openingNotices } from "../display/whose-tasks.js";
import { errorMessage } from "../json.js";
import { isReady } from "../model/board-state.js";
import { type BoardTask, isUnfinished } from "../model/board-task.js";
import type { TaskBoard } from "../model/task-board.js";
import { onTerminalEnd } from "../terminal/terminal-stream.js";
import { awaitedText, confirmation } from "../ui/task-actions.js";
import { changeSentences, numbered, openingSentences, taskSentence, withoutResult } from "./sentences.js";
import { type NumberedVerb, parseSpokenCommand, type SpokenCommand, spokenHelp } from "./spoken-command.js";

/**
 * The user interface as sentences and typed commands, for screen readers and for terminals that cannot move a cursor;
 * resolves to the exit code.
 */
export async function runInSentences(client: Client, board: TaskBoard): Promise<number> {
  const left = new AbortController();
  let code: number = exitCodes.ok;
  const leave = (end: number) => {
    code = end;
    left.abort();
  };
  const stopListening = onTerminalEnd(process.stdin, leave);
  const onInterrupt = () => leave(exitCodes.interrupted);
  process.on("SIGINT", onInterrupt);
  try {
    await new Conversation(client, board, left.signal).run();
  } catch (error) {
    if (!left.signal.aborted) throw error;
    process.stdout.write("\n");
  } finally {
    process.off("SIGINT", onInterrupt);
    stopListening();
  }
  return code;
}

class Conversation {
  readonly #client: Client;
  readonly #board: TaskBoard;
  readonly #signal: AbortSignal;
  /** The tasks as their numbers were last said. */
  #numbers: readonly BoardTask[] = [];

  constructor(client: Client, board: TaskBoard, signal: AbortSignal) {
    this.#client = client;
    this.#board = board;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    say("resumable-mcp. Looking for your tasks.", ...openingNotices(this.#client).map(plainText));
    await Promise.race([this.#board.refresh(), aborted(this.#signal)]);
    this.#numberTasks();
    const { current } = this.#board.store;
    say(...openingSentences(current, this.#numbers));
    if (!isReady(current)) say("Not every server has answered yet.");
    const none = this.#numbers.length === 0;
    say(
      none ? "Type a command; help lists them." : "resume all continues what was interrupted. help lists the commands.",
    );
    const stop = this.#speakChanges();
    try {
      for (;;) {
        const command = parseSpokenCommand(await this.#read("> "));
        if (command.verb === "quit") return;
        await this.#attempt(command);
      }
    } finally {
      stop();
    }
  }

  #speakChanges(): () => void {
    const { store } = this.#board;
    let before = store.current;
    return store.subscribe(() => {
      const now = store.getSnapshot();
      say(...changeSentences(before, now));
      const ended = withoutResult(before, now);
      before = now;
      for (const id of ended) void this.#board.look(id);
    });
  }

  #numberTasks(): void {
    this.#numbers = [...this.#board.store.current.tasks.values()].filter(isUnfinished);
  }

  async #attempt(command: SpokenCommand): Promise<void> {
    try {
      await this.#carryOut(command);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      say(plainText(errorMessage(error)));
    }
  }

  async #carryOut(command: SpokenCommand): Promise<void> {
    switch (command.verb) {
      case "unknown":
        return say(`"${plainText(command.text)}" is not a command. help lists them.`);
      case "help":
        return say(...spokenHelp);
      case "list":
        this.#numberTasks();
        return say(...(this.#numbers.length === 0 ? ["You have no unfinished tasks."] : numbered(this.#numbers)));
      case "tools": {
        const tools = (await this.#client.tools()).filter(({ control }) => !control);
        return say(...tools.map((tool) => `${tool.name}: ${toolText(tool) || "no description."}`));
      }
      case "call":
        return this.#call(command.tool, command.words);
      case "resume_all":
        return this.#confirmResumeAll();
      case "quit":
        return undefined;
      default:
        return this.#withTask(command.verb, command.number);
    }
  }

  async #confirmResumeAll(): Promise<void> {
    const tasks = [...this.#board.store.current.tasks.values()];
    const count = countText(tasks.filter(wasInterrupted).length, "interrupted task");
    if ((await this.#read(`Resume ${count}? What was paused stays paused. Type yes: `)).trim() !== "yes")
      return say("Nothing changed.");
    this.#resumeAll();
  }

  #resumeAll(): void {
    this.#numberTasks();
    const { tasks, awaitedServers } = this.#board.resumeAll();
    if (awaitedServers > 0) say(awaitedText(awaitedServers));
    else if (tasks === 0) say("No interrupted tasks.");
    if (tasks > 0) say(`Resuming ${countText(tasks, "task")}.`);
  }

  async #call(name: string, words: readonly string[]): Promise<void> {
    const tool = (await this.#client.tools()).find((entry) => entry.name === name);
    if (tool === undefined) return say(`No tool is named ${name}. tools lists them.`);
    const values = parseToolArguments(words, undefined, tool.inputSchema);
    say(`Calling ${titleOf(tool)}.`);
    await this.#board.call(tool, values, false);
  }

  async #withTask(verb: NumberedVerb, number: number): Promise<void> {
    const id = this.#numbers[number - 1]?.info.id ?? "";
    const task = this.#board.store.current.tasks.get(id);
    if (task === undefined) return say(`There is no task ${number}. list shows your tasks.`);
    if (verb === "show") return say(taskSentence(task));
    if (verb === "answer" || verb === "decline") return this.#answer(task, verb === "decline");
    const question = confirmation(verb, [task]);
    if (question !== undefined && (await this.#read(`${question} Type yes: `)).trim() !== "yes")
      return say("Nothing changed.");
    await this.#board[verb](id);
  }

  async #answer({ info }: BoardTask, declines: boolean): Promise<void> {
    const [question] = info.questions;
    if (question === undefined) return say(`${toolTitle(info)} has no open question.`);
    say(plainText(question.message));
    const answer = declines ? { action: "decline" as const } : await askInTerminal(question, this.#signal);
    await this.#board.answer(info.id, question.key, answer);
  }

  /** One line at a time, so that a question can be asked in between. */
  async #read(prompt: string): Promise<string> {
    const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
    try {
      return await lines.question(prompt, { signal: this.#signal });
    } finally {
      lines.close();
    }
  }
}

function say(...texts: readonly string[]): void {
  for (const text of texts) process.stdout.write(`${harmlessLines(text)}\n`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The user has left.")), { once: true });
  });
}
