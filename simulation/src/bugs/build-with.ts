import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { build } from "tsup";

/** A defect to build with. */
export interface Defect {
  readonly name: string;
  /** Under `packages/`. */
  readonly file: string;
  /** Puts it into the source. */
  readonly change: (source: string) => string;
}

/** Builds the simulator with one defect in it. @param simulation the folder of the package. @returns its program. */
export async function buildWith(simulation: string, { name, file, change }: Defect): Promise<string> {
  const path = normalize(join(simulation, "../packages", file));
  const contents = change(readFileSync(path, "utf8"));
  const outDir = join(simulation, "dist/bugs", name.replaceAll(/\W+/g, "-"));
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
          plugin.onLoad({ filter: /\.ts$/ }, (given) => (given.path === path ? { contents, loader: "ts" } : undefined)),
      },
    ],
  });
  return join(outDir, "index.js");
}
