import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library([
    "src/index.ts",
    "src/options/index.ts",
    "src/options/define-config.ts",
    "src/store/index.ts",
    "src/store/cli.ts",
  ]),
);
