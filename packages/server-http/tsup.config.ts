import { defineConfig } from "tsup";
import { library, withPackages } from "../../tsup.shared.js";

// pino is CommonJS: a user's bundle of ES modules could not hold its calls of `require`.
export default defineConfig(library(["src/index.ts", "src/cli.ts"], withPackages(/^pino$/)));
