import { sharedConfig } from "../../vitest.shared.js";

// These tests wait for the disk, which others may keep busy: no clock decides whether they pass.
export default sharedConfig({ test: { testTimeout: 120_000, hookTimeout: 120_000 } });
