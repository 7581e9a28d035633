import { defineConfig } from "tsup";
import { library } from "../tsup.shared.js";

export default defineConfig(
  library([
    "src/index.ts",
    "src/measure-worker.ts",
    "src/memory-worker.ts",
    "src/storm.ts",
    "src/storm-server.ts",
    "src/crashes.ts",
    "src/crash-worker.ts",
  ]),
);
