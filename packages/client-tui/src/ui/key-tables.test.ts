import { describe, expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { plainShape } from "../../test/form-shapes.js";
import { named, typed } from "../../test/key-presses.js";
import { newBoardTask } from "../model/board-task.js";
import { boardKeys, initialBoardView, reduceBoardView } from "./board/board-view-state.js";
import { detailKeys, initialDetailState, reduceDetail } from "./detail/detail-state.js";
import { formKeys } from "./form/form.js";
import { initialFormState, reduceForm } from "./form/form-state.js";
import type { KeyPress } from "./keys/key-press.js";
import { menuItems, menuKeys, reduceMenu } from "./menu/menu.js";
import { openingKeys, reduceOpening } from "./opening/opening-state.js";
import { paletteKeys } from "./palette/palette.js";
import { reducePalette } from "./palette/palette-state.js";
import { confirmKeys, reduceConfirm } from "./parts/confirm.js";
import { reducePage, textPageKeys } from "./parts/text-page.js";
import { importKeys, reduceImport } from "./servers/import-screen.js";
import { reduceServers, serversKeys } from "./servers/servers.js";
import { reduceToolList, toolListKeys } from "./tools/tool-list.js";

type Step = { readonly state: unknown; readonly outcome?: unknown };

const names: Readonly<Record<string, readonly KeyPress[]>> = {
  Enter: [named("enter")],
  Space: [typed(" ")],
  Tab: [named("tab")],
  Esc: [named("escape")],
  End: [named("end")],
  "↑↓": [named("up"), named("down")],
  "←→": [named("left"), named("right")],
  j: [typed("j"), typed("k"), named("pageUp"), named("pageDown"), named("home"), named("end")],
  type: [typed("x")],
};
/** Heard for all screens at once. */
const global = new Set(["Ctrl-C", ":", "2", "1-5"]);

const pressesOf = (key: string): readonly KeyPress[] => {
  const word = key.split(" ")[0] ?? "";
  return global.has(word) ? [] : (names[word] ?? [typed(word)]);
};

const tasks = ["a", "b", "c"].map((id) => newBoardTask(fakeTask(id)));
const servers = ["a", "b", "c"].map((name) => ({ host: "cursor" as const, name, file: "mcp.json" }));
const tools = ["a", "b", "c"].map((name) => ({ name, server: "s", inputSchema: {}, control: false }));
const commands = ["a x", "b x", "c x"].map((label) => ({ label, run: () => {} }));
const form = { ...initialFormState(plainShape), focus: 3 };
const detail = { ...initialDetailState, up: 1 };
const tree = [{ path: "$", depth: 0, text: "result", open: true }];

/** Each table of keys with the screen that it belongs to, in the middle of its list. */
const screens: readonly (readonly [string, readonly string[], unknown, (key: KeyPress) => Step])[] = [
  [
    "opening",
    openingKeys,
    { cursor: 1, at: "b" },
    (key) => reduceOpening({ cursor: 1, at: "b" }, key, ["a", "b", "c"]),
  ],
  [
    "board",
    boardKeys,
    { ...initialBoardView, cursor: 1, at: "b" },
    (key) => reduceBoardView({ ...initialBoardView, cursor: 1, at: "b" }, key, tasks),
  ],
  [
    "detail",
    detailKeys,
    detail,
    (key) => reduceDetail(detail, key, { pane: key.name === "enter" ? "result" : "log", count: 9, tree, asks: false }),
  ],
  ["menu", menuKeys, { cursor: 1 }, (key) => reduceMenu({ cursor: 1 }, key, menuItems)],
  ["palette", paletteKeys, { cursor: 1, search: "" }, (key) => reducePalette({ cursor: 1, search: "" }, key, commands)],
  ["page", textPageKeys, 1, (key) => reducePage(1, key, 2)],
  ["confirm", confirmKeys, undefined, (key) => reduceConfirm(undefined, key)],
  ["form", formKeys, form, (key) => reduceForm(form, key, plainShape)],
  [
    "tools",
    toolListKeys,
    { cursor: 1, search: "" },
    (key) => reduceToolList({ cursor: 1, search: "" }, key, tools, String),
  ],
  ["servers", serversKeys, { cursor: 1 }, (key) => reduceServers({ cursor: 1 }, key, ["a", "b", "c"])],
  ["import", importKeys, { cursor: 1 }, (key) => reduceImport({ cursor: 1 }, key, servers)],
];

describe("the keys that a screen names", () => {
  it.each(screens)("do something on %s", (_name, table, before, press) => {
    const idle = table.filter((key) =>
      pressesOf(key).some((pressed) => {
        const { state, outcome } = press(pressed);
        return outcome === undefined && JSON.stringify(state, keepSets) === JSON.stringify(before, keepSets);
      }),
    );
    expect(idle).toEqual([]);
  });
});

function keepSets(_name: string, value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}
