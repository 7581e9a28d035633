import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library([
    ...["src/index.ts", "src/define-server.ts", "src/internal.ts"],
    ...["era-2026", "stdio"].map((part) => `src/${part}/index.ts`),
  ]),
);
