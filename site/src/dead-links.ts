import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "node-html-parser";

/** Links that lead nowhere. */
export interface DeadLinks {
  /** How many links and images were followed. */
  readonly followed: number;
  /** `page: link`, one for each. */
  readonly dead: readonly string[];
}

interface Page {
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

const origin = "https://site.invalid";

/**
 * Follows every link and image of a built site, anchors included. Links to the repository on its git host lead to a file here;
 * other addresses outside are not asked.
 *
 * @param site the folder with the built pages.
 * @param repository the folder of the repository, and its address on the git host.
 */
export function findDeadLinks(site: string, repository: { readonly folder: string; readonly url: string }): DeadLinks {
  const names = readdirSync(site, { recursive: true, encoding: "utf8" }).map(
    (name) => `/${name.replaceAll("\\", "/")}`,
  );
  const files = new Set(names);
  const pages = new Map(
    names.filter((name) => name.endsWith(".html")).map((name) => [name, readPage(join(site, name))]),
  );
  const leadsSomewhere = (link: string, from: string): boolean => {
    const { href, origin: host, pathname, hash } = new URL(link, origin + from);
    const inRepository = /^\/(?:blob|edit|tree)\/main\/([^#]*)/.exec(href.replace(repository.url, ""))?.[1];
    if (host !== origin)
      return inRepository === undefined || existsSync(join(repository.folder, decodeURI(inRepository)));
    const path = decodeURI(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const anchor = decodeURIComponent(hash.slice(1));
    return files.has(path) && (anchor === "" || pages.get(path)?.anchors.has(anchor) === true);
  };
  const links = [...pages].flatMap(([page, { links }]) => links.map((link) => ({ page, link })));
  const dead = links
    .filter(({ page, link }) => !leadsSomewhere(link, page))
    .map(({ page, link }) => `${page}: ${link}`);
  return { followed: links.length, dead };
}

function readPage(file: string): Page {
  const page = parse(readFileSync(file, "utf8"));
  const values = (selector: string, name: string) =>
    page.querySelectorAll(selector).flatMap((element) => element.getAttribute(name) ?? []);
  return {
    anchors: new Set(values("[id]", "id")),
    links: [...values("a[href]", "href"), ...values("[src]", "src"), ...values("link[href]", "href")].filter(
      (link) => !link.startsWith("data:"),
    ),
  };
}
