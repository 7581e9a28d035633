import type { TaskInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { draw } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { hostile } from "../../../test/odd-texts.js";
import { newBoardTask } from "../../model/board-task.js";
import { QuestionBanner, waitingQuestions } from "./frame.js";

const question = (key: string, message: string) => ({ key, message, schema: {}, userOnly: false });
const asking = (id: string, messages: readonly string[], more: Partial<TaskInfo> = {}) =>
  newBoardTask(fakeTask(id, { questions: messages.map((text, index) => question(`q${index}`, text)), ...more }));
const shown = (tasks: ReturnType<typeof asking>[], columns: number) => {
  const questions = waitingQuestions(tasks, { name: "menu" });
  return draw(<QuestionBanner questions={questions} columns={columns} />, { columns, rows: 1 })
    .frame()
    .lines.join("\n");
};

describe("the line that tells of a question", () => {
  const one = asking("a", ["May all data of last year be deleted?"]);

  it("names key, task and question, of which the end gives way", () => {
    expect([40, 80, 120].map((columns) => shown([one], columns))).toEqual([
      "? Ctrl-Y answers: count_words asks: May…",
      "? Ctrl-Y answers: count_words asks: May all data of last year be deleted?",
      "? Ctrl-Y answers: count_words asks: May all data of last year be deleted?",
    ]);
  });

  it("counts the others", () => {
    expect(shown([one, asking("b", ["And?", "Or?"])], 80)).toBe(
      "? Ctrl-Y answers (+2 more): count_words asks: May all data of last year be dele…",
    );
  });

  it("measures wide characters and draws nothing that could repaint the terminal", () => {
    expect(shown([asking("a", [`削除してもよろしいですか ${hostile}`])], 50)).toBe(
      "? Ctrl-Y answers: count_words asks: 削除してもよ…",
    );
    expect(shown([asking("a", [hostile])], 80)).toBe("? Ctrl-Y answers: count_words asks: evil next line");
  });

  it("stands out in colour and, where there is none, by its mark", () => {
    const questions = waitingQuestions([one], { name: "menu" });
    const drawn = draw(
      <QuestionBanner questions={questions} columns={20} />,
      { columns: 20, rows: 1 },
      { colors: true },
    );
    expect(drawn.colored()).toBe("{bold}{magenta}? Ctrl-Y answers: c…{/}{/}");
  });
});

describe("the questions that wait", () => {
  it("are those of unfinished tasks, without the one that is being answered", () => {
    const tasks = [asking("a", ["one", "two"]), asking("over", ["never"], { status: "completed" })];
    const keysOf = (screen: Parameters<typeof waitingQuestions>[1]) =>
      waitingQuestions(tasks, screen).map(({ question: { key } }) => key);
    expect(keysOf({ name: "menu" })).toEqual(["q0", "q1"]);
    expect(keysOf({ name: "answer", taskId: "a", question: question("q0", "one") })).toEqual(["q1"]);
    expect(keysOf({ name: "answer", taskId: "b", question: question("q0", "one") })).toEqual(["q0", "q1"]);
  });
});
