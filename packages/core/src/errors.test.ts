import { describe, expect, it } from "vitest";
import {
  invalidValue,
  isResumableError,
  isRetryableError,
  isTaskInterrupted,
  isTerminalError,
  ResumableError,
  RetryableError,
  TaskInterrupted,
  TerminalError,
} from "./errors.js";

describe("errors", () => {
  it("are recognised by code, also when another copy of the package made them", () => {
    const error = new ResumableError("DRAINING", "Later.", { details: {}, cause: "why" });
    const foreign = Object.assign(new Error("Later."), { code: "DRAINING", [Symbol.for("resumable-mcp.error")]: true });
    expect([error, foreign, new Error("no"), null, "DRAINING"].map((one) => isResumableError(one, "DRAINING"))).toEqual(
      [true, true, false, false, false],
    );
    expect(isResumableError(error, "NOT_JSON")).toBe(false);
    expect(isResumableError(error, "NOT_JSON", "DRAINING")).toBe(true);
    expect([error.name, error.cause]).toEqual(["ResumableError", "why"]);
  });

  it("of tool authors tell apart what may be tried again, what must not, and what is not a failure", () => {
    const all = [new RetryableError("soon", { delay: 5 }), new TerminalError("never"), new TaskInterrupted("pause")];
    expect(all.map((error) => [isRetryableError(error), isTerminalError(error), isTaskInterrupted(error)])).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });
});

it.each([
  ["must be 1 or more", "The input of job is not valid: n: must be 1 or more."],
  ["Give a number above 0.", "The input of job is not valid: n: Give a number above 0."],
])("a value that is not valid is said in one sentence, also where its schema says %j", (problem, message) => {
  expect(invalidValue("The input of job", [`n: ${problem}`]).message).toBe(message);
});
