import { describe, expect, it } from "vitest";
import { draw } from "../../../test/draw.js";
import { boardKeys } from "../board/board-view-state.js";
import { formKeys } from "../form/form.js";
import { menuKeys } from "../menu/menu.js";
import { serversKeys } from "../servers/servers.js";
import { KeyBar } from "./frame.js";

const bar = (keys: readonly string[], columns: number, listed: boolean, colors = false) =>
  draw(<KeyBar keys={keys} columns={columns} listed={listed} />, { columns, rows: 1 }, { colors });
const shown = (keys: readonly string[], columns: number, listed: boolean) => bar(keys, columns, listed).frame().lines;

describe("the keys at the bottom", () => {
  it("are whole at every width, and where some do not fit the last words say how to see them", () => {
    expect([40, 80, 120].flatMap((columns) => shown(boardKeys, columns, true))).toEqual([
      "Enter open · p pause · ? all keys",
      "Enter open · p pause · r resume · c cancel · a answer · Space mark · ? all keys",
      "Enter open · p pause · r resume · c cancel · a answer · Space mark · / find · s sort · d delete · ? all keys",
    ]);
    expect([...shown(serversKeys, 40, true), ...shown(serversKeys, 80, true)]).toEqual([
      "Enter test · a add · ? all keys",
      "Enter test · a add · d remove · i import · l sign in · Esc back",
    ]);
  });

  it("keep the way back where they are not listed elsewhere", () => {
    expect([...shown(formKeys, 40, false), ...shown(menuKeys, 40, false), ...shown(menuKeys, 80, false)]).toEqual([
      "Enter send · ↑↓ field · Esc back",
      "1-5 or Enter choose · 0 exit",
      "1-5 or Enter choose · : commands · Ctrl-C leave · 0 exit",
    ]);
  });

  it("are cut where not even one fits", () => {
    expect(shown(["a very long key that takes long to press"], 20, false)).toEqual(["a very long key tha…"]);
  });

  it("are quiet in colour, and plain where there is none", () => {
    expect(bar(["Esc back"], 40, false, true).colored()).toBe("{dim}Esc back{/}");
    expect(bar(["Esc back"], 40, false).colored()).toBe("Esc back");
  });
});
