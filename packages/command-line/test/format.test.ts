import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, journalOf, lease, openStore } from "../../store-fs/test/scene.js";
import { everything, json, run } from "./command-line.js";

const ours = { layout: 3, writtenBy: "@resumable-mcp/store-fs", check: "3535c332" };

async function filled(): Promise<{ readonly directory: string; readonly id: string; readonly format: string }> {
  const directory = join(emptyFolder(), "store");
  const store = openStore(directory);
  const id = await create(store, "task");
  await commit(store, await lease(store, id), 1, [checkpoint(7)]);
  await store.close();
  return { directory, id, format: join(directory, "format.json") };
}

const damages: readonly [string, string | undefined][] = [
  ["is missing", undefined],
  ["is empty", ""],
  ["is cut short", '{\n  "layout'],
  ["holds zeros", "\0".repeat(60)],
  ["says no layout", "{}"],
  ["says another layout by one bit", JSON.stringify({ ...ours, layout: 2 })],
];

function damage(path: string, text: string | undefined): void {
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
}

describe.each(damages)("a store whose format.json %s", (_, text) => {
  test("opens by what its journals say, writes the file again, and keeps what it cannot read (G12.2)", async () => {
    const { directory, id, format } = await filled();
    damage(format, text);
    const warnings: string[] = [];
    const store = openStore(directory, { onWarning: (message) => warnings.push(message) });
    expect((await store.getTask(id))?.record).toMatchObject({ progress: 7, lastSeq: 2 });
    expect(JSON.parse(readFileSync(format, "utf8"))).toEqual(ours);
    expect(warnings).toEqual([
      expect.stringMatching(/^format\.json .* The rest of the folder has layout 3, so the file was written again/),
    ]);
    const kept = text === undefined ? ["format.json.report.json"] : ["format.json", "format.json.report.json"];
    expect(readdirSync(join(directory, "quarantine")).sort()).toEqual(kept);
    if (text !== undefined) expect(readFileSync(join(directory, "quarantine/format.json"), "utf8")).toBe(text);
  });

  test("is read by commands that change nothing, which say so, and repaired by repair", async () => {
    const { directory, id, format } = await filled();
    damage(format, text);
    const before = everything(directory);
    const found = { kind: "damaged_format", severity: "damage", path: format };
    expect(await json("check", "--store", directory)).toMatchObject({
      code: 1,
      value: { tasks: 1, problems: [found] },
    });
    expect(await json("show", id, "--store", directory)).toMatchObject({ code: 0, value: { record: { progress: 7 } } });
    expect(everything(directory)).toBe(before);
    const repaired = await json("repair", "--apply", "--store", directory);
    expect(repaired).toMatchObject({ code: 0, value: { repairs: [{ ...found, outcome: "done" }] } });
    expect(JSON.parse(readFileSync(format, "utf8"))).toEqual(ours);
    expect(await run("check", "--store", directory)).toMatchObject({ code: 0 });
  });
});

test("a store whose format.json and whose journals cannot be read is left as it is, with advice how to continue", async () => {
  const { directory, id, format } = await filled();
  writeFileSync(format, "");
  writeFileSync(journalOf(directory, id), "{}");
  rmSync(join(journalOf(directory, id), "../journal.1.jsonl"));
  const before = everything(directory);
  const message = expect.stringMatching(
    /^The folder has a format\.json that is not that of a store, and has no journal that can be read/,
  );
  await expect(openStore(directory).countTasks({})).rejects.toMatchObject({ code: "STORE_LAYOUT", message });
  expect(everything(directory)).toBe(before);
});

test("a store whose journals say another layout is refused, whatever became of format.json", async () => {
  const { directory, id, format } = await filled();
  const path = journalOf(directory, id);
  rmSync(format);
  rmSync(join(path, "../journal.1.jsonl"));
  const { encodeLine } = await import("@resumable-mcp/store-fs/admin");
  writeFileSync(path, encodeLine(JSON.stringify({ layout: 4, taskId: id })));
  const before = everything(directory);
  const refusal = { code: "STORE_LAYOUT", details: { found: "4", supported: "3" } };
  await expect(openStore(directory).countTasks({})).rejects.toMatchObject(refusal);
  expect(everything(directory)).toBe(before);
});

describe("a folder that is not a store", () => {
  test.each([
    ["that is not there", () => {}, "STORE_MISSING", /There is no folder/],
    ["without anything", (path: string) => mkdirSync(path), "STORE_MISSING", /holds no store/],
    [
      "with a folder tasks/ of something else",
      (path: string) => {
        mkdirSync(join(path, "tasks"), { recursive: true });
        writeFileSync(join(path, "tasks", "build.gradle"), "x");
        writeFileSync(join(path, "readme"), "x");
      },
      "STORE_LAYOUT",
      /has no format\.json, and holds other things/,
    ],
  ])("%s gets a sentence of its own from commands", async (_, make, code, sentence) => {
    const directory = join(emptyFolder(), "folder");
    make(directory);
    const { value } = await json("check", "--store", directory);
    expect(value).toMatchObject({ error: { code, message: expect.stringMatching(sentence) } });
  });

  test("is not made a store of because it has a folder tasks/", async () => {
    const directory = emptyFolder();
    mkdirSync(join(directory, "tasks", "mine"), { recursive: true });
    writeFileSync(join(directory, "readme"), "x");
    await expect(openStore(directory).countTasks({})).rejects.toMatchObject({ code: "STORE_LAYOUT" });
    expect(readdirSync(directory).sort()).toEqual(["readme", "tasks"]);
  });

  test("keeps a format.json that is of something else", async () => {
    const directory = emptyFolder();
    writeFileSync(join(directory, "format.json"), '{"tabs":2}');
    await expect(openStore(directory).countTasks({})).rejects.toMatchObject({ code: "STORE_LAYOUT" });
    expect(readFileSync(join(directory, "format.json"), "utf8")).toBe('{"tabs":2}');
  });
});

test("a store of which a loss of power left empty folders and an empty format.json opens", async () => {
  const directory = emptyFolder();
  for (const name of ["tasks", "keys", "open"]) mkdirSync(join(directory, name));
  writeFileSync(join(directory, "format.json"), "");
  expect((await openStore(directory).countTasks({})).total).toBe(0);
  expect(JSON.parse(readFileSync(join(directory, "format.json"), "utf8"))).toEqual(ours);
});
