import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "../src/repository.js";

/** Runs the check of layers on a repository that consists of these files. */
function check(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "check-layers-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const script = join(root, "scripts/check-layers.js");
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n") };
}

const store = "packages/core/src/store";

test("lint checks the direction of imports", () => {
  expect(JSON.parse(read("scripts/package.json")).scripts.lint).toContain("node scripts/check-layers.js");
});

test("an import against the direction is refused in core, store-fs, mcp, client and client-tui", () => {
  const { status, lines } = check({
    "packages/core/src/task/a.ts": 'import { b } from "../engine/b.js";\n',
    "packages/store-fs/src/disk/a.ts": 'export type { B } from "../journal/deep/b.js";\n',
    "packages/mcp/src/era-2025/a.ts": 'const b = await import("../era-2026/b.js");\n',
    "packages/client/src/state/a.ts": 'import { type B } from "../servers/b.js";\n',
    "packages/client-tui/src/display/a.ts": 'import type { B } from "../model/b.js";\n',
  });
  expect({ status, lines }).toEqual({
    status: 1,
    lines: [
      "packages/core/src/task/a.ts: task imports ../engine/b.js, and engine is not below it",
      "packages/store-fs/src/disk/a.ts: disk imports ../journal/deep/b.js, and journal is not below it",
      "packages/mcp/src/era-2025/a.ts: era-2025 imports ../era-2026/b.js, and era-2026 is not below it",
      "packages/client/src/state/a.ts: state imports ../servers/b.js, and servers is not below it",
      "packages/client-tui/src/display/a.ts: display imports ../model/b.js, and model is not below it",
      "Imports against the direction: 5. docs/architecture.md shows it.",
    ],
  });
});

test("a folder without a layer is refused, and an entry may not be imported from a folder", () => {
  expect(check({ "packages/core/src/extra/a.ts": "", [`${store}/a.ts`]: 'import "../index.js";\n' })).toEqual({
    status: 1,
    lines: [
      "packages/core/src/extra/a.ts: the folder extra has no layer in scripts/check-layers.js",
      `${store}/a.ts: store imports ../index.js, and index.ts is not below it`,
      "Imports against the direction: 2. docs/architecture.md shows it.",
    ],
  });
});

test("imports from the same folder and from lower layers pass, and so do those of tests", () => {
  const passing = check({
    "packages/core/src/index.ts": 'export { run } from "./engine/run.js";\nexport * from "./store.js";\n',
    [`${store}/memory/a.ts`]: 'import { b } from "../b.js";\nimport "../../task/c.js";\nimport "../../json.js";\n',
    [`${store}/a.test.ts`]: 'import { run } from "../engine/run.js";\n',
  });
  expect(passing).toEqual({ status: 0, lines: [""] });
});
