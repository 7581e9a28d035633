import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { otherServer, twoServers } from "../../../test/odd-texts.js";
import { newBoardTask } from "../../model/board-task.js";
import { openingLines, openingTasks, openingTitle } from "./opening-state.js";

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

describe("the title of the opening screen", () => {
  const of = (...facts: Parameters<typeof fakeTask>[1][]) =>
    facts.map((more, at) => newBoardTask(fakeTask(`t-${at}`, more)));

  it.each([
    [[], false, "Looking for your tasks…"],
    [[], true, "No unfinished tasks."],
    [of({}), true, "1 of your tasks: 1 running."],
    [
      of({}, { status: "paused" }, { interrupted: true }, {}),
      true,
      "4 of your tasks: 1 interrupted, 1 paused, 2 running.",
    ],
    [of({ status: "pending" }, { status: "input_required" }), false, "2 of your tasks: 1 needs input, 1 pending."],
    [of({}).map((task) => ({ ...task, remembered: true as const })), true, "1 of your tasks: 1 out of reach."],
  ])("of %j, all servers heard: %s, is %j", (tasks, ready, text) => {
    expect(openingTitle(tasks, ready)).toBe(text);
  });
});
