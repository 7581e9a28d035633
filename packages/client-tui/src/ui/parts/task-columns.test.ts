import { describe, expect, it } from "vitest";
import { fakeTask } from "../../../test/fake-client.js";
import { otherServer } from "../../../test/odd-texts.js";
import { textWidth } from "../../display/plain-text.js";
import { newBoardTask } from "../../model/board-task.js";
import { columnTitles, shareColumns, taskLineText } from "./task-columns.js";

const long = newBoardTask(fakeTask("a", { tool: "a_tool_with_a_long_name", total: 1_234_567, progress: 1_222_221 }));
const short = newBoardTask(fakeTask("b", { tool: "zip", server: otherServer }));
const look = { nowMs: Date.parse("2026-11-21T09:00:12.000Z"), atCursor: false, marked: false };

describe("the columns of a list of tasks", () => {
  it.each([40, 41, 47, 59, 60, 79, 80, 99, 100, 120, 200])("fit into %i", (columns) => {
    for (const tasks of [[long], [short], [long, short], []]) {
      const widths = shareColumns(tasks, columns);
      const lines = [columnTitles(widths), ...tasks.map((task) => taskLineText(task, widths, look))];
      expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
    }
  });

  it("come with the room: servers and times where something is left for the message", () => {
    const filled = (columns: number) =>
      Object.entries(shareColumns([long, short], columns)).flatMap(([name, width]) => (width > 0 ? [name] : []));
    expect([filled(40), filled(80), filled(120)]).toEqual([
      ["name", "numbers", "time", "bar"],
      ["name", "numbers", "time", "bar", "left", "message"],
      ["name", "numbers", "time", "bar", "left", "server", "message"],
    ]);
  });

  it("tell tasks of one tool apart by their labels, as wide as the message leaves room", () => {
    const labelled = ["book.txt", "https://a.example/a-long-page"].map((label, at) =>
      newBoardTask(fakeTask(`t${at}`, { tool: "convert_files", label, message: "Page 3 of 9" })),
    );
    const lines = (columns: number) => {
      const widths = shareColumns(labelled, columns);
      return [columnTitles(widths), ...labelled.map((task) => taskLineText(task, widths, look))];
    };
    expect(lines(120)).toEqual([
      "    task          label                         progress                     time   left    rate",
      "  > convert_files book.txt                      █████░░░░░░░░░░ 30% (15/50)  12s                    Page 3 of 9",
      "  > convert_files https://a.example/a-long-page █████░░░░░░░░░░ 30% (15/50)  12s                    Page 3 of 9",
    ]);
    expect(lines(80)).toEqual([
      "    task          label          progress                time",
      "  > convert_files book.txt       ███░░░░░░░ 30% (15/50)  12s    Page 3 of 9",
      "  > convert_files https://a.exa… ███░░░░░░░ 30% (15/50)  12s    Page 3 of 9",
    ]);
    expect(lines(40)).toEqual([
      "    task        progress          time",
      "  > book.txt    ██░░░ 30% (15/50) 12s",
      "  > https://a.… ██░░░ 30% (15/50) 12s",
    ]);
  });

  it("stay as they are while tasks go on to their end", () => {
    const at = (progress: number) =>
      newBoardTask(fakeTask("a", { progress, total: 60, percent: Math.floor(progress / 0.6) }));
    expect(shareColumns([at(1)], 80)).toEqual(shareColumns([at(60)], 80));
  });

  it("give what no message can use to the name", () => {
    expect(shareColumns([short], 41)).toMatchObject({ name: 3, message: 8 });
    expect(shareColumns([short], 40)).toMatchObject({ name: 3, message: 0 });
    const wide = newBoardTask(fakeTask("c", { tool: "a_tool_with_a_long_name", progress: 50, percent: 100 }));
    expect(shareColumns([wide], 40)).toMatchObject({ name: 10, numbers: 12, message: 0 });
  });
});
