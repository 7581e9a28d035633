import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/era-2025/index.ts", "src/era-2026/index.ts", "src/command-line/index.ts"]),
);
