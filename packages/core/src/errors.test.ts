import { describe, expect, it } from "vitest";
import {
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
    const all = [new RetryableError("soon", { delayMs: 5 }), new TerminalError("never"), new TaskInterrupted("pause")];
    expect(all.map((error) => [isRetryableError(error), isTerminalError(error), isTaskInterrupted(error)])).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });
});
