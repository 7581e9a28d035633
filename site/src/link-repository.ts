import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownRenderer } from "vitepress";
import manifest from "../../package.json" with { type: "json" };

/** Where the repository can be read. */
export const repositoryUrl: string = manifest.homepage;

const repository = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Makes links of the pages lead to the right place on the site too: what lies outside `docs/` is on the git host, and the
 * README of a folder is its first page.
 */
export function linkRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("link-repository", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue;
      const href = token.attrGet("href");
      if (href !== null) token.attrSet("href", onSite(href, env.path));
    }
  });
}

/** A relative link of a page, as the site needs it. */
export function onSite(href: string, page: string): string {
  if (/^[a-z]+:|^[/#]/i.test(href)) return href;
  const [path = "", anchor = ""] = href.split(/(?=#)/);
  const target = relative(repository, resolve(dirname(page), decodeURI(path))).replaceAll("\\", "/");
  if (!target.startsWith("docs/")) return `${repositoryUrl}/blob/main/${encodeURI(target)}${anchor}`;
  if (/\.(?:test\.ts|ts|json)$/.test(target)) return `${repositoryUrl}/blob/main/${target}${anchor}`;
  return path.replace(/README\.md$/, "index.md") + anchor;
}
