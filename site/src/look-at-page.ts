import type { Browser, Page } from "playwright-core";

/** Widths of a telephone and of a desktop, in CSS pixels. */
export const widths = [390, 1280] as const;

/** What a browser shows of a page. */
export interface SeenPage {
  /** How many pixels the page is wider than its window. */
  readonly overflow: number;
  /** The elements that are wider than the window, as `tag.class`. */
  readonly wide: readonly string[];
  /** What the browser's console reported. */
  readonly problems: readonly string[];
}

/** Opens a page, and sees whether it fits its window. Writes a picture of it where a file is named. */
export async function lookAtPage(browser: Browser, url: string, width: number, picture?: string): Promise<SeenPage> {
  const page = await browser.newPage({ viewport: { width, height: 844 } });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(url, { waitUntil: "load" });
  const seen = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("main *")].filter((element) => {
      const scrolls = element.closest("table, pre, .diagram, div[class*=language-]");
      return scrolls === null && element.getBoundingClientRect().right > clientWidth + 1;
    });
    return {
      overflow: scrollWidth - clientWidth,
      wide: wide.map((element) => `${element.tagName}.${element.className}`),
    };
  });
  if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
  await page.close();
  return { ...seen, problems };
}

/** What the search of the site finds. */
export interface Found {
  readonly titles: readonly string[];
  /** The hosts that were asked for it. */
  readonly hosts: readonly string[];
}

/** Types into the search of the site. */
export async function search(browser: Browser, url: string, words: string): Promise<Found> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 844 } });
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(url, { waitUntil: "load" });
  await openSearch(page);
  await page.locator("#localsearch-input").fill(words);
  await page.locator("#localsearch-list [role=option]").first().waitFor();
  const titles = await page.locator("#localsearch-list [role=option]").allInnerTexts();
  await page.close();
  return { titles, hosts: [...hosts] };
}

/** Presses the key of the search until it opens: the page hears no key before its script has run. */
async function openSearch(page: Page): Promise<void> {
  const press = () => {
    if (document.querySelector("#localsearch-input") !== null) return true;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
    return false;
  };
  await page.waitForFunction(press, undefined, { polling: 200 });
}
