import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/legacy/index.ts", "src/modern/index.ts", "src/command-line/index.ts"]),
);
