import { describe, expect, it } from "vitest";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import { initialBoardState } from "../model/board-state.js";
import { type BoardTask, newBoardTask } from "../model/board-task.js";
import type { NavigationAction } from "./navigation.js";
import { confirmation, taskActions } from "./task-actions.js";

const running = newBoardTask(fakeTask("a"));
const over = newBoardTask(fakeTask("b", { status: "completed" }));
const gone: BoardTask = { ...newBoardTask(fakeTask("c")), gone: true };

describe("what is asked before something is done to tasks", () => {
  it.each([
    ["pause", [running], undefined],
    ["resume", [running], undefined],
    ["pause", [running, over], "Pause 2 tasks?"],
    ["resume", [running, over], "Resume 2 tasks?"],
    ["cancel", [running], "Cancel task a (count_words)? Items are kept, but cancelled tasks cannot be resumed."],
    ["cancel", [running, over], "Cancel 2 tasks? Items are kept, but cancelled tasks cannot be resumed."],
    ["delete", [running], "Delete task a (count_words)? It stays on its server and is not shown here again."],
    ["delete", [gone], "Delete task c (count_words)? It stays on its server and is not shown here again."],
    ["delete", [running, gone], "Delete 2 tasks? They stay on their servers and are not shown here again."],
    ["delete", [over], "Delete task b (count_words)? Finished tasks are deleted on their server, with their results."],
    ["delete", [running, over], "Delete 2 tasks? Finished tasks are deleted on their server, with their results."],
    ["cancel", [], undefined],
  ] as const)("for %s of %j", (verb, tasks, text) => {
    expect(confirmation(verb, tasks)).toBe(text);
  });
});

describe("what a key wants with a task", () => {
  function act() {
    const done: string[] = [];
    const note = (verb: string) => async (id: string) => void done.push(`${verb} ${id}`);
    const board = {
      ...{ pause: note("pause"), resume: note("resume"), cancel: note("cancel"), delete: note("delete") },
      retryNow: async () => void done.push("retry now"),
      notice: (_kind: string, text: string) => void done.push(text),
    };
    const actions = taskActions({
      // The actions use no more of a board than this.
      client: fakeClient({ tasks: [], said: [] }),
      board: board as unknown as Parameters<typeof taskActions>[0]["board"],
      state: { ...initialBoardState, tasks: new Map([running, over].map((task) => [task.info.id, task])) },
      go: (action: NavigationAction) =>
        done.push(action.type === "back" ? "back" : `${action.type} ${action.screen.name}`),
      copy: (text) => done.push(`copy ${text}`),
      columns: 80,
    });
    return { ...actions, done };
  }

  it("is done from the opening screen, which stays", () => {
    const actions = act();
    actions.onOpening({ type: "open", taskId: "a" });
    actions.onOpening({ type: "pause", taskId: "a" });
    actions.onOpening({ type: "keys" });
    actions.onOpening({ type: "menu" });
    expect(actions.done).toEqual(["open detail", "pause a", "open page", "replace menu"]);
  });

  it("is refused in a sentence where it makes no sense", () => {
    const actions = act();
    actions.onBoard({ type: "pause", taskIds: ["b"] });
    actions.onBoard({ type: "resume", taskIds: ["a", "b"] });
    actions.onBoard({ type: "resume_all" });
    expect(actions.done).toEqual([
      "count_words is completed: there is nothing to pause.",
      "None of the marked tasks can be asked to resume.",
      "No interrupted tasks.",
    ]);
  });

  it("is done from the list at once, or after a question", () => {
    const actions = act();
    actions.onBoard({ type: "pause", taskIds: ["a"] });
    actions.onBoard({ type: "cancel", taskIds: ["a"] });
    actions.onBoard({ type: "refresh" });
    actions.onBoard({ type: "open", taskId: "a" });
    actions.onBoard({ type: "back" });
    expect(actions.done).toEqual(["pause a", "open confirm", "retry now", "open detail", "back"]);
  });

  it("is done from the task itself, which is left where there is no more of it", () => {
    const actions = act();
    actions.onDetail("answer", running);
    actions.onDetail("copy", running);
    actions.onDetail("delete", running);
    actions.onDetail("pause", undefined);
    expect(actions.done).toEqual([
      "No open question.",
      "copy resumable-mcp watch a --url http://127.0.0.1:8001/mcp --state /state.json",
      "In the clipboard, if your terminal allows it: resumable-mcp watch a --url http://127.0.0.1:8001/mcp --state /state.json",
      ...["back", "open confirm"],
      "back",
    ]);
  });
});
