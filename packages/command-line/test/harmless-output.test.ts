import { expect, test } from "vitest";
import { create, emptyFolder, openStore } from "../../store-fs/test/scene.js";
import { json, run, setOptions } from "./command-line.js";

const repaint = "\u001b]0;title\u0007\u001b[2J\r\n";
/** Directions that are turned, C1, and ends of lines that JSON leaves as they are. */
const odd = "\u009b31m\u202egnp\u2066\u2028\u2029\u0085\u200b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

async function storeOfStrangers() {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process" });
  const owner = `sub:${repaint}${odd}forged`;
  const tool = `count${repaint}${odd}`;
  const id = await create(store, "a", { owner, tool, toolVersion: odd, label: odd });
  return { owner, tool, id, at: ["--store", directory] };
}

test.each([
  ["tasks", "--all"],
  ["stats"],
  ["versions"],
  ["check"],
  ["show", "a---------------"],
  ["tasks", "--all", "--json"],
  ["stats", "--json"],
  ["versions", "--json"],
  ["show", "a---------------", "--json"],
])("%s prints nothing that a terminal takes for a command, a direction or the end of a line", async (...args) => {
  const { at } = await storeOfStrangers();
  const { out, errors } = await run(...args, ...at);
  expect(out + errors).not.toMatch(harmful);
  expect(out.split("\n").filter((line) => line.startsWith("forged"))).toEqual([]);
});

test("stats names an owner that has reached its limit without them", async () => {
  const { at } = await storeOfStrangers();
  setOptions({ "max-unfinished-per-owner": "1" });
  const { out } = await run("stats", ...at);
  expect(out).toContain("refused now: ");
  expect(out).not.toMatch(harmful);
});

test("what scripts read are the values themselves", async () => {
  const { at, owner, tool, id } = await storeOfStrangers();
  expect(await json("tasks", "--all", ...at)).toMatchObject({
    value: { tasks: [{ task_id: id, owner, task_name: tool }] },
  });
});

test("errors about words of the command line, and about a subject, have none either", async () => {
  const { at } = await storeOfStrangers();
  for (const args of [
    ["show", odd],
    ["tasks", "--status", odd],
    ["tasks", `--${odd}`],
    ["ban", `sub:${repaint}${odd}`],
    ["bans"],
  ]) {
    const { out, errors } = await run(...args, ...at);
    expect(out + errors).not.toMatch(harmful);
  }
});
