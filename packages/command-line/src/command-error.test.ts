import { ResumableError } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { errorSentence } from "./command-error.js";

test("the operator is given the path that an error's message keeps from callers", () => {
  const details = { path: "/srv/store/tasks", reason: "ENOSPC: write" };
  const error = new ResumableError("STORE_WRITE_FAILED", "The store could not be written.", { details });
  expect(errorSentence(error)).toBe("The store could not be written. [/srv/store/tasks]");
});

test("a path that the message names already is not repeated", () => {
  const details = { path: "/srv/format.json", found: "9", supported: "1" };
  const error = new ResumableError("STORE_LAYOUT", "/srv/format.json says layout 9.", { details });
  expect(errorSentence(error)).toBe("/srv/format.json says layout 9.");
});

test.each([
  ["an object without a text", Object.create(null)],
  ["an error whose message is none", Object.assign(new Error("odd"), { message: undefined })],
  [
    "an object whose text throws",
    {
      toString() {
        throw new Error("no text");
      },
    },
  ],
])("a sentence is made of %s, too: a process must not end of what it reports", (_what, thrown) => {
  expect(errorSentence(thrown)).toBe("What was thrown cannot be shown as a text.");
});
