import { sharedConfig } from "../../vitest.shared.js";

// These tests wait for the server's disk, which others may keep busy: no clock decides whether they pass.
const hangMs = 600_000;
/** Earlier than the test's own end, so that the failure says what was seen. */
const pollMs = 500_000;

export default sharedConfig({
  test: {
    globalSetup: "test/server.ts",
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: pollMs } },
  },
});
