import { defineConfig } from "tsup";
import { library, selfContained } from "../tsup.shared.js";

export default defineConfig([
  library(
    [
      "src/index.ts",
      "src/measure-worker.ts",
      "src/{memory,open,resume,stored-memory}-worker.ts",
      "src/servers/{bare-legacy-stdio,bare-modern-stdio,bare-http,tools-module,tell-memory}.ts",
      "src/storm.ts",
      "src/storm-server.ts",
      "src/crashes.ts",
      "src/crash-worker.ts",
      "src/crash-images.ts",
      "src/terminal/{live-servers,tell-vitals}.ts",
    ],
    { clean: ["!one-line.js", "!one-line.js.map"] },
  ),
  // The peer of the terminal UI, made in the same way.
  selfContained(["src/terminal/one-line.ts"]),
]);
