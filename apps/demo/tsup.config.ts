import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/tools.ts", "src/resumption.ts", "src/story-client.ts", "src/end-with-parent.ts"]),
);
