import { expect, test } from "vitest";
import { documents } from "./pages/fragment.js";
import { examplesIn } from "./readme-examples.js";

/** The packages of some names that are imported, without entries and without what Node brings. */
const packagesOf = (names: readonly string[]) =>
  new Set(
    names.filter((name) => !/^(?:node:|\.)/.test(name)).map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ""),
  );

const startPages = [
  "README.md",
  "packages/resumable-mcp/README.md",
  "packages/mcp/README.md",
  "docs/writing-a-store.md",
];

test.each(startPages)("%s installs every package that its code imports: pnpm lets no other be found", (page) => {
  expect(documents).toContain(page);
  const examples = examplesIn(page);
  const commands = examples.filter(({ language }) => language === "sh").map(({ code }) => code);
  const installed = [...commands.join("\n").matchAll(/^npm install (.*)$/gm)].flatMap(([, words = ""]) =>
    words.split(" "),
  );
  const code = examples.filter(({ language }) => /^[jt]s$/.test(language)).map((example) => example.code);
  const imported = packagesOf(
    [...code.join("\n").matchAll(/^import .* from "([^"]+)";/gm)].map(([, name = ""]) => name),
  );
  expect([...imported].filter((name) => !installed.includes(name))).toEqual([]);
});
