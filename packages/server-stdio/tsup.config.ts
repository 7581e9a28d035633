import { defineConfig } from "tsup";
import { bundledServer, fromSources, library, withPackages } from "../../tsup.shared.js";

/** Where the program finds what it loads when it needs it. */
const programs = {
  "./serve-definition.js": "./bundled/serve-definition.js",
  "./with-setup.js": "./serve-definition.js",
  "./postgres-store.js": "./postgres-store.js",
  "./telemetry-export.js": "./telemetry-export.js",
  "./encryption.js": "./encryption.js",
  "./panel-page.js": "./panel-page.js",
  "./hosts/host-command.js": "./hosts/host-command.js",
};

// All builds run at once: the cleaning one spares the others' files.
export default defineConfig([
  library(
    [
      "src/index.ts",
      "src/serve-definition.ts",
      "src/postgres-store.ts",
      "src/encryption.ts",
      "src/panel-page.ts",
      "src/telemetry-export.ts",
      "src/hosts/host-command.ts",
    ],
    {
      clean: ["!cli.cjs", "!cli.cjs.map", "!bundled/**", "!THIRD_PARTY_LICENSES"],
      ...withPackages(/^(?:diff|jsonc-parser|smol-toml|yaml)$/, "dist/hosts/THIRD_PARTY_LICENSES"),
    },
  ),
  // The supervisor is one file and CommonJS, since a host waits until it runs; docs/decisions/0015.
  library(["src/cli.ts"], { ...fromSources(programs), format: "cjs", splitting: false }),
  ...bundledServer("src/serve-definition.ts"),
]);
