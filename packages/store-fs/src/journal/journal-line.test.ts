import { describe, expect, test } from "vitest";
import { DamagedFile, encodeLine } from "../disk/checked-line.js";
import { writtenPart } from "./journal-line.js";

const line = (n: number) => encodeLine(JSON.stringify({ n }));
const zeros = (length: number) => Buffer.alloc(length);

describe("writtenPart", () => {
  test("is all of a file without zeros", () => {
    const bytes = Buffer.concat([line(1), line(2)]);
    expect(writtenPart(bytes, 0, "file")).toEqual(bytes);
  });

  test("ends where zeros begin that nothing follows", () => {
    const bytes = Buffer.concat([line(1), zeros(100)]);
    expect(writtenPart(bytes, 0, "file")).toEqual(line(1));
  });

  test("is nothing of a file of zeros", () => {
    expect(writtenPart(zeros(10), 0, "file")).toEqual(Buffer.alloc(0));
  });

  test.each([1, 5, 30])("leaves out a last line of which %i bytes were written", (written) => {
    const bytes = Buffer.concat([line(1), line(2).subarray(0, written), zeros(100)]);
    expect(writtenPart(bytes, 0, "file").subarray(0, line(1).byteLength)).toEqual(line(1));
  });

  test("leaves out a last line whose beginning is missing", () => {
    const torn = Buffer.concat([zeros(8), line(2).subarray(8)]);
    expect(writtenPart(Buffer.concat([line(1), torn, zeros(100)]), 0, "file")).toEqual(line(1));
  });

  test("says where bytes are missing before a line that is whole", () => {
    const bytes = Buffer.concat([line(1), zeros(20), Buffer.from("\n"), line(3)]);
    const error = new DamagedFile("file", 7 + line(1).byteLength, "bytes are missing");
    expect(() => writtenPart(bytes, 7, "file")).toThrow(error);
  });
});
