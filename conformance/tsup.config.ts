import { defineConfig } from "tsup";
import { library } from "../tsup.shared.js";

export default defineConfig(
  library([
    "src/server.ts",
    "src/run.ts",
    "src/hosts.ts",
    "src/hosts/tools-module.ts",
    "src/hosts/foreign-server.ts",
    "src/seed/seed-client.ts",
    "src/clients/tools-module.ts",
    "src/clients/hold-start.ts",
    "src/clients/genkit-call.ts",
    "src/clients/run-table.ts",
  ]),
);
