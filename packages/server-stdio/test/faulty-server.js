// A server that signals itself at a named point: see the faults of @resumable-mcp/crash-tools.
import { faultObserver, work } from "@resumable-mcp/crash-tools/faults";
import { createFsStore } from "@resumable-mcp/store-fs";
import { serveStdio } from "../dist/index.js";

const [directory = ""] = process.argv.slice(2);
const observer = faultObserver();
const store = createFsStore({ directory, observer });
await serveStdio({ definition: { name: "faulty", version: "1", tools: [work] }, store, observer });
process.exit(0);
