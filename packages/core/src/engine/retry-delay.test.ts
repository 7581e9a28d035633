import { describe, expect, it } from "vitest";
import { ResumableError, RetryableError, TerminalError } from "../errors.js";
import { retryDelay, toFailure } from "./retry-delay.js";

/** Every delay as long as it may be. */
const longest = () => 1;

const policy = { maxAttempts: 4, initialDelay: 100, factor: 10, maxDelay: 5_000 };

describe("retryDelay", () => {
  it("grows from attempt to attempt, up to its limit, and ends with the last one", () => {
    const delays = [0, 1, 2, 3].map((failures) => retryDelay(new Error("no"), failures, policy, longest));
    expect(delays).toEqual([100, 1_000, 5_000, undefined]);
  });

  it("is drawn from all up to the longest: what failed together does not come back together", () => {
    const drawn = [0, 0.25, 0.999].map((part) => retryDelay(new Error("no"), 1, policy, () => part));
    expect(drawn).toEqual([0, 250, 999]);
    expect(retryDelay(new Error("no"), 5_000, { maxAttempts: 9_999, initialDelay: 0 }, longest)).toBe(0);
  });

  it("does not retry without a policy, unless the tool asks for it", () => {
    expect(retryDelay(new Error("no"), 0, undefined, longest)).toBeUndefined();
    expect([0, 1, 2].map((failures) => retryDelay(new RetryableError("no"), failures, undefined, longest))).toEqual([
      1_000,
      2_000,
      undefined,
    ]);
  });

  it("takes the delay that the tool asks for, if it is one", () => {
    const asking = (delay: number) => retryDelay(new RetryableError("no", { delay }), 0, policy, longest);
    expect([7, 0, Number.NaN, -1, Number.POSITIVE_INFINITY].map(asking)).toEqual([7, 0, 100, 100, 100]);
  });

  it("never repeats what the tool calls final, or what the toolkit refused", () => {
    const refused = new ResumableError("LIMIT_EXCEEDED", "no", { details: { limit: "x", value: 2, allowed: 1 } });
    const timeout = new ResumableError("ATTEMPT_TIMEOUT", "no", { details: { taskId: "t", limit: "x", ms: 1 } });
    expect(retryDelay(new TerminalError("no"), 0, policy, longest)).toBeUndefined();
    expect(retryDelay(refused, 0, policy, longest)).toBeUndefined();
    expect(retryDelay(timeout, 0, policy, longest)).toBe(100);
  });
});

describe("failureOf", () => {
  it("keeps a code and a sentence of whatever was thrown, and never a stack", () => {
    const hostile = {
      toString() {
        throw new Error("no text");
      },
    };
    const refused = new ResumableError("NOT_JSON", "no", { details: { what: "x", path: "" } });
    const silent = "The tool failed without saying why.";
    expect(
      [new Error("no"), "no", { message: "no" }, undefined, new Error(""), hostile, refused].map(toFailure),
    ).toEqual([
      { code: "TOOL_FAILED", message: "no" },
      { code: "TOOL_FAILED", message: "no" },
      { code: "TOOL_FAILED", message: "no" },
      { code: "TOOL_FAILED", message: "undefined" },
      { code: "TOOL_FAILED", message: silent },
      { code: "TOOL_FAILED", message: silent },
      { code: "NOT_JSON", message: "no" },
    ]);
    expect(toFailure(new Error("x".repeat(9_999))).message).toHaveLength(2_000);
  });
});
