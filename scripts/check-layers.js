// Refuses imports against the direction of a package's folders: `node scripts/check-layers.js [ROOT]`.
// dependency-cruiser needs an interface that TypeScript 7 has not, and Biome compares only the specifier as it is written.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("../", import.meta.url));

/**
 * The layers of each package, lowest first: a file imports from its own folder and from lower layers. Folders of one layer do
 * not import each other. A layer names folders and files of `src`; all other files of `src` itself are the highest layer.
 */
const packages = {
  "packages/core": [
    ["duration.ts"],
    ["errors.ts", "limits.ts"],
    ["json.ts"],
    ["task"],
    ["tool"],
    ["store"],
    ["engine"],
    ["testing"],
  ],
  "packages/store-fs": [
    ["package-version.ts"],
    ["disk"],
    ["journal"],
    ["task"],
    ["index"],
    ["fs-store-options.ts", "open-store.ts", "create-fs-store.ts", "testing"],
    ["admin"],
  ],
  "packages/store-postgres": [
    ["database"],
    ["journal"],
    ["task"],
    ["index"],
    ["create-postgres-store.ts", "testing"],
    ["admin"],
  ],
  "packages/store-encryption": [["keys"], ["values"], ["opened-keys.ts"], ["with-encryption.ts"]],
  "packages/mcp": [
    ["sdk-2025.ts", "sdk-workarounds.ts", "limits.ts"],
    ["owner", "define-server.ts"],
    ["call"],
    ["http"],
    ["control"],
    ["era-2025", "era-2026"],
    ["stdio"],
  ],
  "packages/command-line": [
    ["command-error.ts", "did-you-mean.ts", "stop-signals.ts", "uncaught-exceptions.ts"],
    ["import-module.ts", "tasks"],
    ["options"],
    ["flags.ts"],
    ["load-server.ts", "quota-flags.ts", "store-flags.ts", "webhook"],
    ["store"],
  ],
  "packages/client": [
    [
      "client-error.ts",
      "limits.ts",
      "package-version.ts",
      "json.ts",
      "server-config.ts",
      "task-info.ts",
      "tool-result.ts",
    ],
    ["connection", "state"],
    ["era-2025", "credentials"],
    ["client.ts"],
    ["servers"],
    ["client-context.ts", "follow"],
    ["tasks"],
  ],
  "packages/client-tui": [
    ["json.ts", "advice.ts", "open-program-client.ts", "open-in-browser.ts"],
    ["display"],
    ["model", "hosts"],
    ["command-line"],
    ["terminal-ui-options.ts"],
    ["ui"],
    ["terminal"],
    ["screen-reader"],
  ],
  "packages/panel": [["version.ts", "without-eval.ts"], ["connection", "texts"], ["model"], ["ui"], ["main.tsx"]],
  "packages/server-stdio": [["limits.ts", "data-folder.ts", "flags.ts"], ["wire"], ["supervisor", "hosts"]],
};

const imported = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)["'](\.[^"']+)["']/gm;

/** The folder below `src`, or the file in `src` itself. */
const partOf = (path) => path.split("/")[0].replace(/\.jsx?$/, ".ts");

/** The imports of a package against its direction, one sentence each. */
function violations(folder, layers) {
  const source = join(root, folder, "src");
  const heightOf = (part) => {
    const height = layers.findIndex((layer) => layer.includes(part));
    return height >= 0 || !part.endsWith(".ts") ? height : layers.length;
  };
  const found = [];
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || /\.test\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const from = partOf(relative(source, path));
    const shown = relative(root, path);
    if (heightOf(from) < 0) found.push(`${shown}: the folder ${from} has no layer in scripts/check-layers.js`);
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(imported)) {
      const to = partOf(relative(source, join(dirname(path), specifier)));
      const isBelow = heightOf(to) < heightOf(from) || (from.endsWith(".ts") && heightOf(to) === heightOf(from));
      if (to === from || isBelow) continue;
      found.push(`${shown}: ${from} imports ${specifier}, and ${to} is not below it`);
    }
  }
  return found;
}

const found = Object.entries(packages)
  .filter(([folder]) => existsSync(join(root, folder, "src")))
  .flatMap(([folder, layers]) => violations(folder, layers));
for (const sentence of found) process.stdout.write(`${sentence}\n`);
if (found.length > 0)
  process.stdout.write(`Imports against the direction: ${found.length}. docs/architecture.md shows it.\n`);
process.exitCode = found.length > 0 ? 1 : 0;
