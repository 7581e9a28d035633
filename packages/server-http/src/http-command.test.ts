import { expect, test } from "vitest";
import { readRetry } from "./http-command.js";

test("only the times that were given replace the defaults", () => {
  expect(readRetry({}, undefined)).toEqual({});
  expect(readRetry({ retry: "2s", "drain-retry": "1m" }, undefined)).toEqual({ retryMs: 2_000, drainRetryMs: 60_000 });
});

test("on a socket that a parent owns clients come back at once, since no attempt is refused there", () => {
  expect(readRetry({}, 3)).toEqual({ retryMs: 1_000, drainRetryMs: 1_000 });
  expect(readRetry({ retry: "2s" }, 3)).toEqual({ retryMs: 2_000, drainRetryMs: 1_000 });
});

test("a time that cannot be read is refused with the setting's names", () => {
  expect(() => readRetry({ "drain-retry": "soon" }, undefined)).toThrow(
    /^drainRetry \(RESUMABLE_MCP_DRAIN_RETRY\) must be a time such as /,
  );
});
