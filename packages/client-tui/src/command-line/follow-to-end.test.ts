import type { ClientEvent } from "@resumable-mcp/client";
import type { QuestionAnswer } from "@resumable-mcp/protocol";
import { expect, it } from "vitest";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import type { CommandContext } from "./command.js";
import { followToEnd } from "./follow-to-end.js";
import { createOutput } from "./output.js";
import { parseCommandLine } from "./parse-command-line.js";

const question = { key: "q", message: "Sure?", schema: {}, userOnly: false };

/** Follows a task with these events; every word on stderr, and what the prompt saw. */
async function follow(words: readonly string[], events: readonly ClientEvent[]) {
  const [written, prompts]: [string[], string[]] = [[], []];
  const stream = { write: (text: string) => written.push(text) };
  const ask = (_question: unknown, signal: AbortSignal) =>
    new Promise<QuestionAnswer>((_resolve, reject) => {
      prompts.push("asked");
      signal.addEventListener("abort", () => {
        prompts.push("taken away");
        reject(signal.reason);
      });
    });
  const context: CommandContext = {
    client: fakeClient({ tasks: [], said: [] }),
    line: parseCommandLine(words, {}),
    output: createOutput({ write: () => true }, stream, false),
    interrupts: { next: () => new Promise(() => {}) },
    onFollow: () => {},
    clock: () => 0,
    ask,
  };
  const result = { content: [], isError: false, meta: {}, status: "completed", reused: false, text: "done" } as const;
  const code = await followToEnd(context, {
    taskId: "a",
    name: "count",
    async *events() {
      yield* events;
    },
    result: async () => result,
  });
  return { code, written: written.join(""), prompts };
}

const events: readonly ClientEvent[] = [
  { type: "progress", progress: 1, total: 2, percent: 50 },
  { type: "log", level: "info", data: "working" },
  { type: "question", question },
  { type: "status", status: "running" },
];

it("takes the prompt of a question away that was answered elsewhere", async () => {
  const { code, prompts } = await follow(["call", "count"], events);
  expect([code, prompts.slice(0, 2)]).toEqual([0, ["asked", "taken away"]]);
});

it("says progress, log and questions, and with --quiet the questions alone", async () => {
  const { written } = await follow(["call", "count"], events);
  expect([written.includes("50% (1/2)"), written.includes("info: working")]).toEqual([true, true]);
  expect((await follow(["call", "count", "--quiet"], events)).written).toBe("The task asks: Sure?\n");
});

it("asks again when the task refuses an answer and still asks", async () => {
  const written: string[] = [];
  const task = fakeTask("a", { status: "input_required", questions: [question] });
  const client = fakeClient({ tasks: [task], said: [] });
  let answers = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const answer = async () => {
    answers += 1;
    if (answers === 1) throw new Error("The answer is not valid: reason: Name one.");
    finish();
    return task;
  };
  const context: CommandContext = {
    client: { ...client, task: (id) => ({ ...client.task(id), answer }) },
    line: parseCommandLine(["call", "count"], {}),
    output: createOutput({ write: () => true }, { write: (text: string) => written.push(text) }, false),
    interrupts: { next: () => new Promise(() => {}) },
    onFollow: () => {},
    clock: () => 0,
    ask: async () => ({ action: "accept", content: {} }),
  };
  await followToEnd(context, {
    taskId: "a",
    name: "count",
    async *events() {
      yield { type: "question", question } as const;
      await finished;
    },
    result: async () => ({ content: [], isError: false, meta: {}, status: "completed", reused: false, text: "done" }),
  });
  expect([answers, written.join("").includes("reason: Name one.")]).toEqual([2, true]);
});
