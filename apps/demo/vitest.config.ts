import { sharedConfig } from "../../vitest.shared.js";

/** A tool is run again for each place at which it can be killed: on a busy machine that takes its time. */
const testTimeoutMs = 30_000;

export default sharedConfig({ test: { testTimeout: testTimeoutMs } });
