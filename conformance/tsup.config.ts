import { defineConfig } from "tsup";
import { library } from "../tsup.shared.js";

export default defineConfig(library(["src/server.ts", "src/run.ts"]));
