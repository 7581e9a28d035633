import type { TaskResult } from "@resumable-mcp/client";
import type { Json } from "@resumable-mcp/protocol";
import { harmlessJson, harmlessLines, harmlessText } from "@resumable-mcp/protocol/display";
import { withCommands } from "../advice.js";
import { contentText } from "../display/result-text.js";
import { continueCommand } from "../display/task-status.js";
import { exitCodes } from "./exit-codes.js";

/** A stream that text is written to. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Where a command writes: results on stdout, everything that goes by on stderr. Nothing that servers and files of hosts say is a
 * command to the terminal.
 */
export interface Output {
  readonly json: boolean;
  /** Columns of what goes by. */
  readonly columns: number;
  /** Columns of the result; nothing of it is cut where a program reads it. */
  readonly resultColumns: number;
  /** Lines of the result, for people. */
  line(text: string): void;
  /** One JSON object on its own line. */
  object(value: object | Json): void;
  /** The result of a command that succeeded: an object for programs, lines for people. Returns the exit code. */
  result(object: object, lines: readonly string[]): number;
  /** A line that is drawn over the last one on a terminal, and written under it elsewhere. */
  progress(text: string): void;
  /** A line that stays, for people. */
  note(text: string): void;
  /** A prompt is open. */
  isAsking(): boolean;
  /**
   * A prompt is on the last line: notes are written above it, and nothing is drawn over it.
   *
   * @returns what ends that.
   */
  keepPrompt(redraw: () => void): () => void;
}

const defaultColumns = 80;
/** Nothing is cut where nothing is drawn over. */
const plainColumns = 1_000;
const eraseLine = "\r\u001b[2K";

/** Creates the output of a command. */
export function createOutput(stdout: TextStream, stderr: TextStream, json: boolean): Output {
  const redraws = stderr.isTTY === true && process.env.TERM !== "dumb";
  let drawn = false;
  let redrawPrompt: (() => void) | undefined;
  const clear = () => {
    if (drawn) stderr.write(eraseLine);
    drawn = false;
  };
  const output: Output = {
    json,
    resultColumns: stdout.isTTY === true ? (stdout.columns ?? defaultColumns) : plainColumns,
    columns: redraws ? (stderr.columns ?? defaultColumns) : plainColumns,
    line(text) {
      // What was reported last says less than the result.
      clear();
      stdout.write(`${harmlessLines(text)}\n`);
    },
    object(value) {
      clear();
      stdout.write(`${harmlessJson(JSON.stringify(value))}\n`);
    },
    progress(text) {
      if (json || redrawPrompt !== undefined) return;
      const line = harmlessText(text);
      if (!redraws) return void stderr.write(`${line}\n`);
      stderr.write(`${eraseLine}${line}`);
      drawn = true;
    },
    note(text) {
      if (redrawPrompt !== undefined && redraws) stderr.write(eraseLine);
      clear();
      stderr.write(`${harmlessLines(text)}\n`);
      redrawPrompt?.();
    },
    isAsking: () => redrawPrompt !== undefined,
    keepPrompt(redraw) {
      clear();
      redrawPrompt = redraw;
      return () => {
        if (redrawPrompt === redraw) redrawPrompt = undefined;
      };
    },
    result(object, lines) {
      if (json) output.object(object);
      else for (const text of lines) output.line(harmlessText(text));
      return exitCodes.ok;
    },
  };
  return output;
}

/** Prints the end of a task: its text for people, with how a failed one continues, and everything for programs. */
export function printResult(output: Output, result: TaskResult): void {
  const { taskId, status, reused, isError, content, structuredContent, error } = result;
  const facts = { task_id: taskId, status, reused, is_error: isError, content, structured_content: structuredContent };
  output.result({ type: "result", ...facts }, []);
  if (!output.json) output.line(resultText(result));
  const command = taskId && continueCommand(taskId, error);
  if (command && !output.json) output.note(command);
}

/** A result for people: its text, else its structured content. */
export function resultText(result: TaskResult): string {
  const { status, structuredContent } = result;
  const text = contentText(result);
  if (text === "") return JSON.stringify(structuredContent ?? null);
  return status === "completed" ? text : withCommands(text);
}
