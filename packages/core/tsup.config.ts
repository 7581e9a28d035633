import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/engine.ts", "src/internal.ts", "src/store.ts", "src/testing.ts"], {
    platform: "neutral",
  }),
);
