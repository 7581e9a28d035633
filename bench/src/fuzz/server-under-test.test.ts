import { expect, test } from "vitest";
import { isComplaint } from "./server-under-test.js";

test.each([
  [`tool failing failed: TypeError: ${"x".repeat(2_000)}`, false],
  [`TypeError: Cannot read properties of "${"x".repeat(300)}"`, true],
  [`RangeError: id ${"x".repeat(22)} is out of range`, true],
  ["Unhandled rejection: no", true],
  ["listening on http://127.0.0.1:1/mcp", false],
])("a line of the log is a complaint or not: %#", (line, expected) => {
  expect(isComplaint(line)).toBe(expected);
});
