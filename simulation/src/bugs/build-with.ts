import { basename, join } from "node:path";
import { build } from "tsup";

/** What a simulator is built with. */
export interface Change {
  readonly name: string;
  /** Sources that take the place of others, by path under `packages/`. */
  readonly sources: ReadonlyMap<string, string>;
  /** The program, under `src/`. */
  readonly entry?: string;
}

/** Builds the simulator with other sources. @param simulation the folder of the package. @returns its program. */
export async function buildWith(simulation: string, { name, sources, entry = "index.ts" }: Change): Promise<string> {
  const packages = join(simulation, "../packages");
  const contents = new Map([...sources].map(([file, source]) => [join(packages, file), source]));
  const outDir = join(simulation, "dist/bugs", name.replaceAll(/\W+/g, "-"));
  await build({
    entry: [join(simulation, "src", entry)],
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
            const source = contents.get(path);
            return source === undefined ? undefined : { contents: source, loader: "ts" };
          }),
      },
    ],
  });
  return join(outDir, `${basename(entry, ".ts")}.js`);
}
