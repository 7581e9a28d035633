import { describe, expect, it } from "vitest";
import { drawPart, least, usual } from "../../../test/draw.js";
import { fakeTool } from "../../../test/fake-client.js";
import { hostile, otherServer } from "../../../test/odd-texts.js";
import { keys } from "../../../test/open-screens.js";
import { serverLabelAt } from "../../display/server-label.js";
import type { Loaded } from "../parts/use-loaded.js";
import { ToolList } from "./tool-list.js";

type Tools = Parameters<typeof ToolList>[0]["tools"];

const tools = [
  fakeTool("count_words", { title: "Count words" }),
  fakeTool("数える道具", { description: "日本語の説明" }),
  fakeTool(hostile, { server: otherServer, description: hostile }),
  fakeTool("a_tool_with_a_name_that_is_longer_than_its_column", { server: otherServer }),
];
const there = (value: readonly ReturnType<typeof fakeTool>[]): Tools => ({ name: "there", value });

function open(given: Loaded<readonly ReturnType<typeof fakeTool>[]>, size = usual, colors = false) {
  const chosen: string[] = [];
  const list = (
    <ToolList
      tools={given}
      serverAt={(address) => serverLabelAt(address, [{ address: otherServer, name: "work" }])}
      {...size}
      rows={size.rows - 4}
      onChoose={({ name }) => chosen.push(name)}
      onBack={() => chosen.push("back")}
    />
  );
  return { ...drawPart(list, size, { colors }), chosen };
}

describe("the list of tools", () => {
  it("has columns that stay in line whatever names are made of, and tells servers apart", () => {
    expect(open(there(tools)).frame()).toMatchInlineSnapshot(`
      80×24
      │Which tool? _
      │▸ count_words                       127.0.0.1:8001  Count words: Counts the wor…
      │  数える道具                        127.0.0.1:8001  日本語の説明
      │  evil next line                    work            evil next line
      │  a_tool_with_a_name_that_is_long…  work            Counts the words of a file.
    `);
  });

  it("leaves room for what a tool is for on a narrow screen", () => {
    expect(open(there(tools.slice(0, 2)), least).frame()).toMatchInlineSnapshot(`
      40×10
      │Which tool? _
      │▸ count_words  Count words: Counts the …
      │  数える道具   日本語の説明
    `);
  });

  it("keeps the cursor in sight among many, and says that it continues", async () => {
    const list = open(there(Array.from({ length: 99 }, (_, index) => fakeTool(`tool_${index}`))), least);
    list.press("\u001b[6~");
    expect(await list.until("▸ tool_10")).toMatchInlineSnapshot(`
      40×10
      │Which tool? _
      │↑ tool_8   Counts the words of a file.
      │  tool_9   Counts the words of a file.
      │▸ tool_10  Counts the words of a file.
      │  tool_11  Counts the words of a file.
      │↓ tool_12  Counts the words of a file.
    `);
  });

  it.each([
    ["Asking for the tools…", { name: "asking" }],
    ["No server answers. Start it first.", { name: "failed", problem: "No server answers. Start it first." }],
    ["The servers list no tool: 5 in the menu shows their state.", { name: "there", value: [] }],
  ] as const)("says %j where there are none", (text, given) => {
    expect(open(given).frame().lines).toEqual(["Which tool? _", text]);
  });

  it("shows what is searched for, and says how to see all again where nothing matches", async () => {
    const list = open(there(tools), least);
    list.press("a long search for nothing that there is");
    expect((await list.until("No tool")).lines).toEqual([
      "Which tool? … for nothing that there is_",
      "No tool matches. Esc shows all.",
    ]);
  });

  it("shows its cursor by colour and by a mark", () => {
    const [, first, second] = open(there(tools.slice(0, 2)), least, true)
      .colored()
      .split("\n");
    expect([first, second?.slice(0, 7)]).toEqual([
      "{inverse}▸ count_words  Count words: Counts the …{/}",
      "  数える道具",
    ]);
  });

  it("calls what is chosen", () => {
    const list = open(there(tools));
    list.press(keys.enter);
    expect(list.chosen).toEqual(["count_words"]);
  });
});
