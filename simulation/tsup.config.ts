import { defineConfig } from "tsup";
import { fromSources, library } from "../tsup.shared.js";

export default defineConfig([
  // In a run nothing may be loaded from files: each program is one file.
  library(["src/index.ts", "src/program/job.ts"], {
    ...fromSources({}),
    splitting: false,
    clean: ["!{history,find-bugs,mutants,drawn-only}.js*", "!bugs/**"],
  }),
  library(["src/history.ts"], { clean: false }),
  library(["src/bugs/find-bugs.ts"], { clean: false, external: ["tsup"] }),
  library(["src/mutants/mutants.ts", "src/mutants/drawn-only.ts"], {
    clean: false,
    external: ["tsup", /^@stryker-mutator\//],
  }),
]);
