import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../src/repository.js";
import { examplesIn, filesIn } from "../readme-examples.js";

const pagesIn = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);

/** The pages whose code is compiled and run, block by block. */
export const pages: readonly string[] = [
  "docs/tutorial.md",
  "docs/writing-a-store.md",
  ...pagesIn("docs/cookbook"),
  ...pagesIn("docs/coming-from"),
];

/** Where the files of the pages are written, for each use of them: inside this package, whose dependencies they import. */
export const placeFor = (use: "code" | "recipes"): string => join(root, "conformance", ".pages", use);

/** Writes the files of a page as its reader would, and gives their folder. */
export function writePage(page: string, use: Parameters<typeof placeFor>[0]): string {
  const folder = join(placeFor(use), page.replace(/^docs\/(.*)\.md$/, "$1"));
  rmSync(folder, { recursive: true, force: true });
  for (const [name, code] of filesIn(page)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  return folder;
}

/** The lines of all shell blocks of a page. */
export function commandLines(page: string): readonly string[] {
  const shell = examplesIn(page).filter(({ language }) => language === "sh");
  return shell.flatMap(({ code }) => code.trimEnd().split("\n"));
}

/** The result that a page shows: its only block of JSON. */
export function shownResult(page: string): unknown {
  const [shown, ...further] = examplesIn(page).filter(({ language }) => language === "json");
  if (shown === undefined || further.length > 0) throw new Error(`${page} does not show one result.`);
  return JSON.parse(shown.code);
}
