import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import { TaskBoard } from "../model/task-board.js";
import { runInSentences } from "./run-in-sentences.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Types each line at the next prompt. */
function type(...lines: string[]) {
  const stdin = new PassThrough();
  const written: string[] = [];
  vi.spyOn(process, "stdin", "get").mockReturnValue(stdin as never);
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text));
    if (/^> $|Type yes: $/.test(String(text))) stdin.write(`${lines.shift()}\n`);
    return true;
  });
  return written;
}

it("resumes all that was interrupted after a yes, and tells how many", async () => {
  const tasks = [fakeTask("a", { interrupted: true }), fakeTask("b", { status: "paused" })];
  const client = fakeClient({ tasks, said: [] });
  const board = new TaskBoard(client, { clock: () => 0 });
  const written = type("resume all", "no", "resume all", "yes", "quit");
  expect(await runInSentences(client, board)).toBe(0);
  const asked = "Resume 1 interrupted task? What was paused stays paused. Type yes: ";
  expect(written.slice(written.indexOf("> ")).filter((text) => !text.startsWith("count_words"))).toEqual([
    ...["> ", asked, "Nothing changed.\n"],
    ...["> ", asked, "Resuming 1 task.\n"],
    "> ",
  ]);
});

it("says the error of any typed command, and takes the next one", async () => {
  const client = fakeClient({
    tasks: [],
    said: [],
    tools: async () => {
      throw new Error("No server answers.");
    },
  });
  const board = new TaskBoard(client, { clock: () => 0 });
  const written = type("tools", "call count_words path=a", "list", "quit");
  expect(await runInSentences(client, board)).toBe(0);
  expect(written.slice(written.indexOf("> "))).toEqual([
    "> ",
    "No server answers.\n",
    "> ",
    "No server answers.\n",
    "> ",
    "You have no unfinished tasks.\n",
    "> ",
  ]);
});
