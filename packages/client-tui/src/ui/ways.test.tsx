import { describe, expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { alike, frames } from "../../test/frames-at-sizes.js";
import { fakeResult } from "../../test/odd-texts.js";
import { keys } from "../../test/open-screens.js";

describe("a way through the screens", () => {
  it("offers for a finished task what works on it, and while a task pauses what works then", async () => {
    const result = fakeResult({ converted: 50 });
    const done = [fakeTask("done", { tool: "convert_files", status: "completed" })];
    const finished = await frames(
      done,
      [
        ["process data", "2"],
        ["Tasks 1-1 of 1", keys.enter],
      ],
      "[result]",
      { result },
    );
    const pausing = await frames(
      alike.slice(0, 1),
      [
        ["1 of your tasks", keys.enter],
        ["[timeline]", "p"],
      ],
      "pausing…",
    );
    expect([finished, pausing].map((all) => all.map(({ lines }) => lines.at(-1)))).toMatchInlineSnapshot(`
      [
        [
          "Tab part · y copy · ↑↓ scroll · Enter fold, unfold · End follow · ? all keys",
          "Tab part · y copy · ↑↓ scroll · Enter fold, unfold · End follow · n restart · d delete · Y copy arguments · ? all keys",
          "Tab part · y copy · ? all keys",
        ],
        [
          "c cancel · Tab part · y copy · ↑↓ scroll · End follow · n restart · ? all keys",
          "c cancel · Tab part · y copy · ↑↓ scroll · End follow · n restart · d delete · Y copy arguments · i copy id · ? all keys",
          "c cancel · Tab part · ? all keys",
        ],
      ]
    `);
  });

  it("goes from the opening screen to each place by its number, and says where the tasks are", async () => {
    const opening = await frames(alike, [], "of your tasks");
    expect(opening.map(({ lines }) => lines.at(-1))).toMatchInlineSnapshot(`
      [
        "Enter open · p pause · c cancel · d delete · 2 tasks · : commands · ? all keys",
        "Enter open · p pause · c cancel · d delete · 2 tasks · : commands · g refresh · m menu · Ctrl-C leave",
        "Enter open · p pause · ? all keys",
      ]
    `);
    const places = [
      ["1", "Which tool?"],
      ["2", "Tasks 1-3 of 3"],
      ["3", "completed       2"],
      ["4", "Session"],
      ["5", "13 tools"],
    ] as const;
    const test = (server: string) => ({ server, ok: true, milliseconds: 5, tools: 13 });
    for (const [key, text] of places) {
      const shown = await frames(alike, [["of your tasks", key]], text, { test });
      expect(shown.map(({ columns, rows }) => `${columns}×${rows}`)).toEqual(["80×24", "120×40", "40×10"]);
    }
  });
});
