import { posix } from "node:path";
import { expect, test } from "vitest";
import { read } from "../src/repository.js";

test("each way that the document offers leads to a section with an example", () => {
  const [ways = ""] = read("docs/adopting.md").split(/^## /m).slice(0, 1);
  const links = [...ways.matchAll(/^\| \[.*\]\((\.\.\/packages\/[\w-]+\/README\.md)#([\w-]+)\)/gm)];
  expect(links).toHaveLength(7);
  for (const [, path = "", anchor] of links) {
    const sections = read(posix.join("docs", path)).split(/^## /m);
    const section = sections.find((one) => anchorOf(one.split("\n")[0] ?? "") === anchor);
    expect({ anchor, hasExample: section?.includes("```js\n// ") }).toEqual({ anchor, hasExample: true });
  }
});

/** How GitHub names a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
