import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "@resumable-mcp/browser";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { sidebar } from "../.vitepress/sidebar.js";
import { findDeadLinks } from "../src/dead-links.js";
import { repositoryUrl } from "../src/link-repository.js";
import { lookAtPage, search, widths } from "../src/look-at-page.js";
import { type ServedSite, serveSite } from "../src/serve-site.js";

const folder = fileURLToPath(new URL("../../", import.meta.url));
const built = join(folder, "site", ".vitepress", "dist");
const repository = { folder, url: repositoryUrl };
let site: ServedSite;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  site = await serveSite(built);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  site.close();
});

test("no link, image or anchor of the built site leads nowhere", () => {
  const { followed, dead } = findDeadLinks(built, repository);
  expect(dead).toEqual([]);
  expect(followed).toBeGreaterThan(1_000);
});

test("a link to a page, an anchor or a file of the repository that is not there is found", () => {
  const made = mkdtempSync(join(tmpdir(), "site-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  mkdirSync(join(made, "sub"));
  const links = ["there.html", "there.html#here", "gone.html", "there.html#gone", "#gone"];
  const files = ["README.md", "gone.md"].map((file) => `${repositoryUrl}/blob/main/${file}`);
  const anchors = [...links, ...files].map((link) => `<a href="${link}">x</a>`).join("");
  writeFileSync(join(made, "sub", "index.html"), `${anchors}<img src="gone.svg"><a href="/sub/">x</a>`);
  writeFileSync(join(made, "sub", "there.html"), '<h2 id="here">x</h2>');
  expect(findDeadLinks(made, repository).dead).toEqual(
    ["gone.html", "there.html#gone", "#gone", `${repositoryUrl}/blob/main/gone.md`, "gone.svg"].map(
      (link) => `/sub/index.html: ${link}`,
    ),
  );
});

test("every page of docs/ is in the sidebar", () => {
  const linksIn = (items: ReturnType<typeof sidebar>): string[] =>
    items.flatMap(({ link = [], items = [] }) => [link, linksIn(items)].flat());
  const listed = new Set(linksIn(sidebar()).map((link) => link.replace(/\/$/, "/index")));
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: join(folder, "docs"),
    encoding: "utf8",
  });
  const pages = tracked
    .trim()
    .split("\n")
    .filter((path) => !path.startsWith("decisions/0") && path !== "index.md");
  const missing = pages
    .map((path) => `/${path.replace(/\.md$/, "").replace("README", "index")}`)
    .filter((page) => !listed.has(page));
  expect(missing).toEqual([]);
});

test("the reference has a page for each entry that users import, with its docstrings", () => {
  const core = readFileSync(join(folder, "docs", "api", "@resumable-mcp", "core.md"), "utf8");
  expect(core).toContain("Runs something once and remembers its value for as long as the task lives.");
  const index = readFileSync(join(folder, "docs", "api", "index.md"), "utf8");
  expect(index).toContain("[@resumable-mcp/core/testing]");
});

test.each(widths)("the tutorial and a wide table fit a window of %d pixels", async (width) => {
  for (const page of ["tutorial.html", "errors.html"]) {
    const seen = await lookAtPage(browser, site.url + page, width);
    expect({ page, ...seen }).toEqual({ page, overflow: 0, wide: [], problems: [] });
  }
});

test.each([
  ["Claude Desktop", "Install in Claude Desktop"],
  ["test my tool", "Test your tool"],
  ["limit concurrency", "Concurrency: how many tasks run at once"],
  ["rotate keys", "Rotate encryption keys"],
  ["stuck task", "A task is stuck"],
  ["error code", "Errors that callers and operators see"],
  ["write a store", "Writing a store"],
])("the search for %s begins with: %s", async (words, heading) => {
  const { titles } = await search(browser, `${site.url}concepts.html`, words);
  expect(titles[0]).toContain(heading);
});

test("the search finds a page and an entry of the reference, from files of the site alone", async () => {
  const { titles, hosts } = await search(browser, `${site.url}concepts.html`, "checkResumable");
  expect(titles.join("\n")).toContain("checkResumable");
  expect(hosts).toEqual([new URL(site.url).host]);
});
