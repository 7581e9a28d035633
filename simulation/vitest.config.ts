import { sharedConfig } from "../vitest.shared.js";

// The simulation replaces the globals of a process: whatever else runs in it would touch them.
export default sharedConfig({ test: { isolate: true } });
