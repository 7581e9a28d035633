import { describe, expect, it } from "vitest";
import { drawPart } from "../../../test/draw.js";
import { keys } from "../../../test/open-screens.js";
import { Menu } from "./menu.js";

const items = ["process data", "list tasks", "数える道具の一覧", "exit"].map((label, index) => ({
  key: `${index}`,
  label,
}));

function open(size: { readonly columns: number; readonly rows: number }, colors = false) {
  const chosen: string[] = [];
  const menu = (
    <Menu items={items} {...size} onOutcome={(outcome) => outcome.type === "chosen" && chosen.push(outcome.key)} />
  );
  return { ...drawPart(menu, size, { colors }), chosen };
}

describe("a menu", () => {
  it.each([
    [80, 24],
    [120, 40],
  ])("shows its entries with their keys at %i×%i", (columns, rows) => {
    expect(open({ columns, rows }).frame().lines).toEqual([
      "▸ 0 process data",
      "  1 list tasks",
      "  2 数える道具の一覧",
      "  3 exit",
    ]);
  });

  it("scrolls where it is higher than the screen, and says that it continues", async () => {
    const menu = open({ columns: 15, rows: 2 });
    expect(menu.frame().lines).toEqual(["▸ 0 process da…", "↓ 1 list tasks"]);
    menu.press(keys.down);
    menu.press(keys.down);
    expect((await menu.until("▸ 2")).lines).toEqual(["↑ 1 list tasks", "▸ 2 数える道具…"]);
    menu.press(keys.enter);
    expect(menu.chosen).toEqual(["2"]);
  });

  it("shows its cursor by colour and by a mark", () => {
    expect(open({ columns: 20, rows: 2 }, true).colored()).toBe(
      "{inverse}{cyan}▸ 0 process data{/}{/}\n{cyan}↓ 1 list tasks{/}",
    );
  });
});
