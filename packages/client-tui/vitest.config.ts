import { sharedConfig } from "../../vitest.shared.js";

// Each component has its test file, and loading the screens takes far longer than drawing them: files share what is loaded.
export default sharedConfig({ test: { isolate: false, unstubEnvs: true } });
