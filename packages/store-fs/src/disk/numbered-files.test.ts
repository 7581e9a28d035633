import { expect, test } from "vitest";
import { MemoryDisk } from "../testing/memory-disk.js";
import { missing, NumberedFiles, newest } from "./numbered-files.js";
import { createWhole } from "./whole-file.js";

const files = new NumberedFiles("part.", ".json");

test("knows its own names, and lists their numbers in order", () => {
  const names = ["part.10.json", "part.9.json", "part..json", "part.1.jsonl", "part.x.json", "other.3.json"];
  expect(files.numbersIn(names)).toEqual([9, 10]);
  expect(files.nameOf(11)).toBe("part.11.json");
});

test("gives a number to one of two that create it", () => {
  const disk = new MemoryDisk();
  disk.makeFolder("/a/b");
  expect(files.open(disk, "/a/b", 1)).toEqual(expect.any(Number));
  expect(files.open(disk, "/a/b", 1)).toBeUndefined();
  expect(createWhole(disk, "/a/b/part.1.json", Buffer.from("second"), "u2")).toBe(false);
  expect(disk.list("/a/b")).toEqual(["part.1.json"]);
  expect(files.list(disk, "/nowhere")).toEqual([]);
});

test("reads from the newest down, past files that do not count", () => {
  const read: number[] = [];
  const value = newest(
    () => [1, 2, 3],
    (number) => {
      read.push(number);
      return number === 3 ? undefined : `value ${number}`;
    },
  );
  expect({ value, read }).toEqual({ value: "value 2", read: [3, 2] });
});

test("lists again when a file went missing, and never falls back to an older one for it", () => {
  const listings = [[1, 2], [3], [3]];
  const read: number[] = [];
  const value = newest(
    () => listings.shift() ?? [],
    (number) => {
      read.push(number);
      return number === 2 ? missing : `value ${number}`;
    },
  );
  expect({ value, read }).toEqual({ value: "value 3", read: [2, 3] });
});

test("ends where nothing counts and nothing changed", () => {
  expect(
    newest(
      () => [1],
      () => missing,
    ),
  ).toBeUndefined();
});
