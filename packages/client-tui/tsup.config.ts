import { defineConfig } from "tsup";
import { selfContained } from "../../tsup.shared.js";

// An installation then has neither Ink nor React: they are in the files.
export default defineConfig({
  ...selfContained(["src/cli.ts", "src/index.ts"]),
  clean: true,
});
