import { expect, test } from "vitest";
import { isTestFile, read, sourcesOf, titlesOf, workspaces } from "../src/repository.js";

const guarantees = Array.from({ length: 12 }, (_, index) => `G${index + 1}`);
const document = read("docs/guarantees.md");
const titles = workspaces.flatMap((workspace) =>
  sourcesOf(workspace)
    .filter(isTestFile)
    .flatMap((path) => titlesOf(read(path))),
);

test.each(guarantees)("%s has a section in the document and is named by a test", (id) => {
  const named = new RegExp(`\\b${id}\\b`);
  const sections = document.split("\n").filter((line) => /^#{2,3} /.test(line) && named.test(line));
  expect(sections).toHaveLength(1);
  expect(titles.filter((title) => named.test(title))).not.toEqual([]);
});

test("the titles that the document quotes are those of tests in the files that it names", () => {
  const quoted = document.replaceAll(/\s+/g, " ").matchAll(/`([\w./-]+\.test\.tsx?)` \("([^"]+)"\)/g);
  const pairs = [...quoted].map(([, path = "", title = ""]) => ({ path, title }));
  expect(pairs.length).toBeGreaterThan(0);
  // The ids at the end of a title are left out where it is quoted.
  const isThere = ({ path, title }: { path: string; title: string }) =>
    titlesOf(read(path)).some((written) => written.startsWith(title));
  expect(pairs.filter((pair) => !isThere(pair))).toEqual([]);
});
