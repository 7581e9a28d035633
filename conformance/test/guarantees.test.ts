import { expect, test } from "vitest";
import { isTestFile, read, sourcesOf, titlesOf, workspaces } from "./repository.js";

const guarantees = Array.from({ length: 12 }, (_, index) => `G${index + 1}`);
const titles = workspaces.flatMap((workspace) =>
  sourcesOf(workspace)
    .filter(isTestFile)
    .flatMap((path) => titlesOf(read(path))),
);

test.each(guarantees)("%s has a section in the document and is named by a test", (id) => {
  const named = new RegExp(`\\b${id}\\b`);
  const sections = read("docs/guarantees.md")
    .split("\n")
    .filter((line) => /^#{2,3} /.test(line) && named.test(line));
  expect(sections).toHaveLength(1);
  expect(titles.filter((title) => named.test(title))).not.toEqual([]);
});
