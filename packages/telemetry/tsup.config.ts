import { defineConfig } from "tsup";
import { bundledLibrary, library } from "../../tsup.shared.js";

// Both builds run at once: the cleaning one spares the other's files. The SDK is bundled; docs/decisions/0022.
export default defineConfig([
  library(["src/index.ts"], { clean: ["!export.js", "!export.js.map", "!THIRD_PARTY_LICENSES"] }),
  bundledLibrary({ export: "src/export/index.ts" }, /^@opentelemetry\/(?!api$)/),
]);
