import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { otherServer, twoServers } from "../../../test/odd-texts.js";
import { newBoardTask } from "../../model/board-task.js";
import { openingLines, openingQuestion, openingTasks } from "./opening-state.js";

describe("the lines of the opening screen", () => {
  const [here, there, elsewhere] = [fakeServer, otherServer, "http://example.com/mcp"].map((server, index) =>
    newBoardTask(fakeTask(`task-${index}`, { server })),
  );
  const tasks = [there, elsewhere, here].flatMap((task) => task ?? []);

  it("are every server with its own tasks, and at the end those of servers that are no longer known", () => {
    const lines = openingLines(twoServers, tasks);
    expect(lines.map((line) => (line.kind === "server" ? line.text : line.key))).toEqual([
      "work  live",
      "task-0",
      "127.0.0.1:8002  down: connection refused",
      "task-1",
      "task-2",
    ]);
    expect(openingTasks(lines).map(({ info }) => info.id)).toEqual(["task-0", "task-1", "task-2"]);
  });
});

describe("the question of the opening screen", () => {
  it.each([
    [0, false, 80, "Looking for your tasks…"],
    [0, true, 80, "No unfinished tasks."],
    [1, true, 80, "1 of your tasks is not finished: resume, watch, cancel, forget?"],
    [2, false, 80, "2 of your tasks are not finished: resume, watch, cancel, forget?"],
    [2, true, 40, "2 of your tasks are not finished."],
  ])("for %i tasks, all servers heard: %s, at %i columns is %j", (count, ready, columns, text) => {
    expect(openingQuestion(count, ready, columns)).toBe(text);
  });
});
