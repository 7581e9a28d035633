import { cp } from "node:fs/promises";
import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/admin.ts", "src/testing.ts"], {
    onSuccess: () => cp("src/database/migrations", "dist/migrations", { recursive: true }),
  }),
);
