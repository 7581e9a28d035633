import { defineConfig } from "tsup";
import { library, withPackages } from "../../tsup.shared.js";

// Two are CommonJS: a user's bundle of ES modules could not hold their calls of `require`.
export default defineConfig(library(["src/index.ts", "src/cli.ts"], withPackages(/^(?:pino|ipaddr\.js|jose)$/)));
