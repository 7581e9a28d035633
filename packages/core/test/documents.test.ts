import { readFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { engineDefaults, taskDefaults } from "../src/limits.js";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

/** The first cells of the rows of all tables, where they are code. */
function firstCells(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1] ?? "");
}

describe("docs/errors.md", () => {
  it("lists every error code of the toolkit once, and no other", async () => {
    const [table = ""] = /interface ErrorDetails \{[\s\S]*?\n\}/.exec(await read("../src/errors.ts")) ?? [];
    const codes = [...table.matchAll(/^ {2}([A-Z]+(?:_[A-Z]+)*): /gm)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(30);
    // Another table names what a tool throws.
    const listed = [...firstCells(await read("../../../docs/errors.md"))].filter((cell) => !/[a-z]/.test(cell));
    expect(listed.sort()).toEqual(codes.sort());
  });
});

describe("README.md", () => {
  it("begins with an example that runs as it stands there", async () => {
    const example = (await read("./first-example.ts")).replace("../src/index.js", "@resumable-mcp/core");
    const blocks = [...(await read("../README.md")).matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]);
    expect(blocks[0]).toBe(example);
    const info = vi.spyOn(console, "info").mockImplementation(() => {});
    await import("./first-example.js");
    expect(info.mock.lastCall).toEqual(["completed", { flight: "flight to Oslo", room: "room in Oslo" }]);
    info.mockRestore();
  });

  it("names limits with their defaults", async () => {
    const rows = [...(await read("../README.md")).matchAll(/^\| `(\w+)` \| ([\d ]+) \|/gm)].map((row) => [
      row[1],
      Number(row[2]?.replaceAll(" ", "")),
    ]);
    expect(rows.length).toBeGreaterThan(3);
    const defaults = [...Object.entries(engineDefaults), ...Object.entries(taskDefaults)];
    expect(rows).toEqual(rows.map(([name]) => defaults.find(([known]) => known === name)));
  });
});
