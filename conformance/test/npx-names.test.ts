import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { manifestOf, published, read, root } from "../src/repository.js";

/** Documents and sources, where commands are shown to people. */
const files = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.tsx", "*.js", "*.html"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");
const names = published.map((folder) => manifestOf(folder).name);
const programs = published
  .flatMap((folder) => Object.keys(manifestOf(folder).bin ?? {}))
  .filter((program) => !names.includes(program));
const bare = new RegExp(`npx (?:-y |--yes )?(?:${programs.join("|")})(?![\\w-])`, "g");

test("no command lets npx fetch a package by the bare name of a program, which anybody may publish (F13)", () => {
  expect(programs).toContain("resumable-mcp-http");
  expect(programs).not.toContain("resumable-mcp");
  expect("npx resumable-mcp-http ./tools.mjs".match(bare)).not.toBeNull();
  const own = "conformance/test/npx-names.test.ts";
  const found = files.filter((path) => path !== own && read(path).match(bare) !== null);
  expect(found).toEqual([]);
});
