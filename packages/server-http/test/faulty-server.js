// A server that signals itself at a named point: see the faults of @resumable-mcp/crash-tools.
import { faultObserver, work } from "@resumable-mcp/crash-tools/faults";
import { createFsStore } from "@resumable-mcp/store-fs";
import { serve } from "../dist/index.js";

const [directory = "", port = "0"] = process.argv.slice(2);
const observer = faultObserver();
const store = createFsStore({ directory, observer });
const definition = { name: "faulty", version: "1", tools: [work] };
const { url } = await serve({ definition, store, observer, port: Number(port) });
process.stderr.write(`listening on ${url}\n`);
