import { defineConfig } from "tsup";
import { library, withPackages } from "../../tsup.shared.js";

export default defineConfig(
  library(["src/index.ts", "src/module.ts"], { splitting: true, ...withPackages(/^eventsource-parser\//) }),
);
