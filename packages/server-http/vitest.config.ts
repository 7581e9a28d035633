import { sharedConfig } from "../../vitest.shared.js";

// Its tests start servers in their own process: what one leaves (sockets, what telemetry registers) would meet those of the next file.
export default sharedConfig({ test: { isolate: true } });
