import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

// Both builds run at once: the cleaning one spares the other's files.
export default defineConfig([
  library(["src/index.ts", "src/serve-module.ts", "src/stdio-command.ts"], { clean: ["!cli.cjs", "!cli.cjs.map"] }),
  // The supervisor is one file and CommonJS, since a host waits until it runs; docs/decisions/0020.
  library(["src/cli.ts"], {
    format: "cjs",
    clean: false,
    splitting: false,
    noExternal: [/^@resumable-mcp\//],
    external: ["./serve-module.js", "./stdio-command.js"],
    // Of the neighbours' sources only what is used goes into it; of what they are built to, whole chunks would.
    esbuildOptions: (options) => {
      options.conditions = ["@resumable-mcp/source"];
    },
  }),
]);
