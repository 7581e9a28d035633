import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Starts a Chromium: on Linux the one that comes as a package, elsewhere the Chrome of the machine. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== "linux" || process.arch !== "x64") return playwright.launch({ channel: "chrome" });
  // No sandbox: it opens the pages of this site alone, also as root in a container.
  return playwright.launch({ executablePath: await chromium.executablePath(), args: ["--no-sandbox"] });
}
