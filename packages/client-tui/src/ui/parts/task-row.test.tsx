import { Box } from "ink";
import { describe, expect, it } from "vitest";
import { draw } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { oddTasks } from "../../../test/odd-texts.js";
import { nowMs } from "../../../test/open-screens.js";
import { newBoardTask } from "../../model/board-task.js";
import { shareColumns } from "./task-columns.js";
import { TaskRow } from "./task-row.js";

const tasks = oddTasks.map(newBoardTask);

function rows(columns: number, colors = false) {
  const widths = shareColumns(tasks, columns);
  return draw(
    <Box flexDirection="column">
      {tasks.map((task, index) => (
        <TaskRow
          key={task.info.id}
          task={task}
          widths={widths}
          columns={columns}
          nowMs={nowMs}
          atCursor={index === 0}
          marked={index === 1}
        />
      ))}
    </Box>,
    { columns, rows: tasks.length },
    { colors },
  );
}

describe("a task on one line", () => {
  it("has a mark for its status, and columns in line with wide characters too", () => {
    expect(rows(80).frame()).toMatchInlineSnapshot(`
      80×8
      │▸ > count_words       ███░░░░░░░ 30% (15/50)  12s            Processed 15/50 re…
      │ *= a_tool_with_a_ve… ███░░░░░░░ 30% (15/50)  10s            paused: evil next …
      │  > 数える道具        ██████████ 99%          12s            日本語のメッセージ…
      │  ! crossing          ███░░░░░░░ 30% (15/50)  10s            interrupted: Proce…
      │  x 👩 👧 🇩🇪 café ©   ███░░░░░░░ 30% (15/50)  10s            failed: evil next …
      │  + over              ██████████ 100% (50/50) 10s            completed
      │  - stopped           ███░░░░░░░ 30% (15/50)  10s            cancelled: Process…
      │  … to_come           ░░░░░░░░░░ 0% (0/50)    12s            pending: Processed…
    `);
  });

  it("gives its columns to name and numbers where there is no room for messages", () => {
    expect(rows(40).frame()).toMatchInlineSnapshot(`
      40×8
      │▸ > count_wor… ██░░░ 30% (15/50)  12s
      │ *= a_tool_wi… ██░░░ 30% (15/50)  10s
      │  > 数える道具 █████ 99%          12s
      │  ! crossing   ██░░░ 30% (15/50)  10s
      │  x 👩 👧 🇩🇪 … ██░░░ 30% (15/50)  10s
      │  + over       █████ 100% (50/50) 10s
      │  - stopped    ██░░░ 30% (15/50)  10s
      │  … to_come    ░░░░░ 0% (0/50)    12s
    `);
  });

  it("has room for everything at 120 columns", () => {
    expect(rows(120).frame()).toMatchInlineSnapshot(`
      120×8
      │▸ > count_words                    █████░░░░░░░░░░ 30% (15/50)            12s                    Processed 15/50 records
      │ *= a_tool_with_a_very_long_name_… █████░░░░░░░░░░ 30% (15/50)            10s                    paused: evil next line
      │  > 数える道具                     ███████████████ 99% (1222221/1234567)  12s                    日本語のメッセージ 🎉
      │  ! crossing                       █████░░░░░░░░░░ 30% (15/50)            10s                    interrupted: Processed…
      │  x 👩 👧 🇩🇪 café ©                █████░░░░░░░░░░ 30% (15/50)            10s                    failed: evil next line
      │  + over                           ███████████████ 100% (50/50)           10s                    completed
      │  - stopped                        █████░░░░░░░░░░ 30% (15/50)            10s                    cancelled: Processed 1…
      │  … to_come                        ░░░░░░░░░░░░░░░ 0% (0/50)              12s                    pending: Processed 15/…
    `);
  });

  it("tells by colour nothing that its mark does not tell", () => {
    const beginnings = rows(40, true)
      .colored()
      .split("\n")
      .map((line) => line.match(/^(?:\{\w+\})*.{3}/)?.[0]);
    expect(beginnings).toEqual([
      "{cyan}{inverse}▸ >",
      "{yellow} *=",
      "{cyan}  >",
      "{cyan}  !",
      "{red}  x",
      "{green}  +",
      "{gray}  -",
      "  …",
    ]);
  });

  it("cuts no number: where progress and total do not fit, the percentage stands alone", () => {
    const [task] = [newBoardTask(fakeTask("a", { progress: 1_222_221, total: 1_234_567, percent: 99 }))];
    const widths = { ...shareColumns([task], 80), numbers: 10 };
    const { lines } = draw(<TaskRow task={task} widths={widths} columns={80} nowMs={nowMs} />, {
      columns: 80,
      rows: 1,
    }).frame();
    expect(lines[0]?.slice(4, 41)).toBe("count_words ██████████ 99%        12s");
  });
});
