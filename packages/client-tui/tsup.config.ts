import { defineConfig } from "tsup";
import { library, selfContained } from "../../tsup.shared.js";

// Both builds run at once: the cleaning one spares the other's files.
export default defineConfig([
  library(["src/index.ts", "src/command-line/did-you-mean.ts"], { clean: ["!cli.js", "!cli.js.map"] }),
  selfContained(["src/cli.ts"]),
]);
