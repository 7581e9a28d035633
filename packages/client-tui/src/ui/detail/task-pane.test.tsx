import { expect, it } from "vitest";
import { drawPart, least } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { nowMs } from "../../../test/open-screens.js";
import { newBoardTask } from "../../model/board-task.js";
import { TaskPane } from "./task-pane.js";

it("shows a task without keys of its own, and asks once for what happened", () => {
  const asked: string[] = [];
  const pane = (
    <TaskPane task={newBoardTask(fakeTask("a"))} columns={40} rows={8} nowMs={nowMs} onLook={(id) => asked.push(id)} />
  );
  const drawn = drawPart(pane, least);
  drawn.press("p");
  expect([drawn.frame(), asked]).toMatchInlineSnapshot(`
    [
      40×10
    │> count_words ██░░░ 30% (15/50) 12s
    │running · attempt 1 · 15 items · update…
    │a at http://127.0.0.1:8001/mcp
    │for 12s
    │message: Processed 15/50 records
    │[timeline] log  steps  result
    │Its server gives no timeline.,
      [
        "a",
      ],
    ]
  `);
});
