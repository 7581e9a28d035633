import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { build } from "tsup";
import type { Bug, Change } from "./bug.js";

/** Builds the simulator with one defect in it. @param simulation the folder of the package. @returns its program. */
export async function buildWith(simulation: string, bug: Bug): Promise<string> {
  const texts = new Map<string, string>();
  for (const change of [bug, ...(bug.also ?? [])]) {
    const path = normalize(join(simulation, "../packages", change.file));
    texts.set(path, changed(texts.get(path) ?? readFileSync(path, "utf8"), change));
  }
  const outDir = join(simulation, "dist/bugs", bug.name.replaceAll(/\W+/g, "-"));
  await build({
    entry: [join(simulation, "src/index.ts")],
    config: false,
    silent: true,
    format: "esm",
    splitting: false,
    target: "node20",
    platform: "node",
    outDir,
    noExternal: [/^@resumable-mcp\//],
    define: { RESUMABLE_MCP_VERSION: '"0.0.0"' },
    esbuildOptions: (options) => {
      // The bundler looked at the working directory when it was loaded.
      options.absWorkingDir = simulation;
      options.conditions = ["@resumable-mcp/source"];
    },
    esbuildPlugins: [
      {
        name: "put-back",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = texts.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          }),
      },
    ],
  });
  return join(outDir, "index.js");
}

function changed(text: string, { file, find, replace }: Change): string {
  if (text.split(find).length !== 2) throw new Error(`${file} does not have one place for: ${find}`);
  return text.replace(find, () => replace);
}
