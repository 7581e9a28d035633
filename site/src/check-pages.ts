// Opens every page of the built site at the width of a telephone and of a desktop: `npm run docs:check [FOLDER FOR PICTURES]`.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "@resumable-mcp/browser";
import { lookAtPage, widths } from "./look-at-page.js";
import { serveSite } from "./serve-site.js";

const built = fileURLToPath(new URL("../.vitepress/dist/", import.meta.url));
const pictures = process.argv[2];
if (pictures !== undefined) mkdirSync(pictures, { recursive: true });

const pages = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
console.log(`Opening ${pages.length} pages at ${widths.join(" and ")} pixels; a page takes about half a second …`);
const site = await serveSite(built);
const browser = await openBrowser();
let failures = 0;
for (const name of pages.sort()) {
  for (const width of widths) {
    const picture = pictures && join(pictures, `${name.replaceAll(/[\\/]/g, "-")}-${width}.png`);
    const { overflow, wide, problems } = await lookAtPage(browser, site.url + name, width, picture);
    if (overflow <= 0 && wide.length === 0 && problems.length === 0) continue;
    failures += 1;
    console.error(
      `${name} at ${width}: ${overflow} pixels too wide, ${wide.slice(0, 3).join(" ")} ${problems.join(" ")}`,
    );
  }
}
await browser.close();
site.close();
console.log(`${pages.length} pages at ${widths.join(" and ")} pixels, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
