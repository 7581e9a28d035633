import { defineConfig } from "tsup";
import { fromSources, library } from "../tsup.shared.js";

export default defineConfig([
  library(["src/index.ts"], { ...fromSources({}), clean: ["!{history,find-bugs}.js*"] }),
  library(["src/history.ts"], { clean: false }),
  library(["src/bugs/find-bugs.ts"], { clean: false, external: ["tsup"] }),
]);
