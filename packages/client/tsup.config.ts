import { defineConfig } from "tsup";
import { library, withPackages } from "../../tsup.shared.js";

// An installation then has none of the web servers that the SDK brings: docs/decisions/0015.
export default defineConfig(library(["src/index.ts"], withPackages(/^@modelcontextprotocol\/sdk\//)));
