import { defineConfig } from "tsup";
import { library, selfContained } from "../tsup.shared.js";

export default defineConfig([
  library(
    [
      "src/{index,storm,crashes,crash-images,request-costs,floods,fuzz}.ts",
      "src/workers/{measure-worker,store-worker,tell-vitals,costs-server}.ts",
      "src/postgres/{engine,dbos}-replica.ts",
      "src/servers/{bare-2025-stdio,bare-2026-stdio,bare-2025-http,bare-2026-http,durable-tools,tools-module}.ts",
      "src/fuzz/fuzz-tools-module.ts",
      "src/crashes/crash-worker.ts",
      "src/storm/{replica-tools-module,client,folder-store,other-store}.ts",
      "src/terminal/live-servers.ts",
    ],
    { clean: ["!one-line.js", "!one-line.js.map"], external: ["tsup"] },
  ),
  // The peer of the terminal UI, made in the same way.
  selfContained(["src/terminal/one-line.ts"]),
]);
