import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";
import { library } from "../../tsup.shared.js";

// Vite has built the page before.
const page = readFileSync(new URL("dist/panel.html", import.meta.url), "utf8");

export default defineConfig(
  library(["src/index.ts"], { clean: false, sourcemap: false, define: { PANEL_HTML: JSON.stringify(page) } }),
);
