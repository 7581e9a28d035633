import { sharedConfig } from "../../vitest.shared.js";

// These tests wait for the server's disk, which others may keep busy: no clock decides whether they pass.
export default sharedConfig({
  test: { globalSetup: "test/server.ts", testTimeout: 120_000, hookTimeout: 120_000 },
});
