import { sharedConfig } from "../vitest.shared.js";

export default sharedConfig({ test: { globalSetup: "test/set-up.ts" } });
