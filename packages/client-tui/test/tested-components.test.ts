import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(source, join(entry.parentPath, entry.name)));
const code = files.filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));

/** What takes over a real terminal is tested in one: `test/terminal.proof.test.ts`. */
const needsTerminal = new Set(["terminal/terminal-screen.tsx"]);

/** Whether a test looks at what is drawn. */
function draws(file: string): boolean {
  return files.includes(file) && /\b(?:draw|drawPart|openScreens)\(/.test(readFileSync(join(source, file), "utf8"));
}

test("every component has a frame test next to it", () => {
  const components = code.filter((file) => file.endsWith(".tsx") && !needsTerminal.has(file));
  const untested = components.filter((file) => !draws(file.replace(/\.tsx$/, ".test.tsx")));
  expect([components.length > 20, untested]).toEqual([true, []]);
});

test("every reducer of keys has a test of its own next to it", () => {
  const reducers = code.flatMap((file) => {
    const names = readFileSync(join(source, file), "utf8").matchAll(/^export function (reduce\w+)/gm);
    return [...names].map(([, name = ""]) => ({ file, name }));
  });
  const untested = reducers.filter(({ file, name }) => {
    const neighbours = files.filter((other) => other.includes(".test.") && dirname(other) === dirname(file));
    return !neighbours.some((other) => readFileSync(join(source, other), "utf8").includes(`${name}(`));
  });
  expect([reducers.length > 5, untested]).toEqual([true, []]);
});
