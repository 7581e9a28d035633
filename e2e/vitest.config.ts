import { sharedConfig } from "../vitest.shared.js";

// One browser at a time: two of them and their servers are slower on two processors than one after the other.
export default sharedConfig({ test: { maxWorkers: 1 } });
