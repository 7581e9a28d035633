import { expect, test } from "vitest";
import { charactersIn, type HostCell, type HostOutcome, isGood, merged, tableOf, withTable } from "./report.js";

const host = (name: string, cells: readonly HostCell[]): HostOutcome => ({
  name,
  package: name,
  version: "1.0.0",
  date: "2026-11-29",
  cells,
  characters: { controlTools: 0, instructions: true },
});
const good = host("one", [
  { row: "call", over: "stdio", seen: "once" },
  { row: "call", over: "HTTP", seen: "once" },
  { row: "question", over: "stdio", reason: "no person" },
]);
const bad = host("other", [
  { row: "call", over: "stdio", seen: "once" },
  { row: "call", over: "HTTP", problems: ["no |\n result"] },
]);

test("the table says once what is the same over both transports, and shows a failure", () => {
  expect(tableOf([good, bad]).split("\n")).toEqual([
    "|  | one 1.0.0 | other 1.0.0 |",
    "|---|---|---|",
    "| lists the tools, and calls one | once | stdio: once; HTTP: **no**: no \\| result |",
    "| a question | no person |  |",
  ]);
  expect([isGood([good]), isGood([good, bad])]).toEqual([true, false]);
});

test("a run replaces its own hosts and its own part of the document", () => {
  const newer = { ...bad, version: "2.0.0" };
  expect(merged([good, bad], [newer])).toEqual([good, newer]);
  const once = withTable(
    "Before.\n\n<!-- hosts: written by `npm run hosts -- --write` -->\n<!-- end of hosts -->\nAfter.",
    [good],
  );
  expect(once).toMatch(/^Before\.\n\n<!-- hosts.* -->\n\n\|[\s\S]*\|\n\n<!-- end of hosts -->\nAfter\.$/);
  expect(withTable(once, [good])).toBe(once);
  expect(() => withTable("", [good])).toThrow("lacks a line");
});

test("what a model reads is measured by its kind", () => {
  const tools = [
    { name: "resumable_wait_for_task", characters: 300 },
    { name: "resumable_count_units", characters: 50 },
  ];
  const turn = {
    at: 0,
    prompt: "",
    heard: { tools, said: [] },
    reply: { kind: "text", text: "" },
    results: ['Call wait_for_task with {"task_id":"a"} now.', "done"],
    instructed: true,
  } as const;
  expect(charactersIn([turn])).toEqual({ controlTools: 300, instructions: true, handoff: 44, result: 4 });
});
