import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { built } from "../workers/run-isolated.js";

/** A defect of the store that a storm has to find: a piece of a source file, and what takes its place. */
interface Defect {
  readonly name: string;
  /** In the sources of the store. */
  readonly file: string;
  /** Stands once in the file. */
  readonly find: string;
  readonly replace: string;
}

const defects: readonly Defect[] = [
  {
    name: "unknown-counts-as-done",
    file: "task/task-writer.ts",
    find: "        this.#book.giveUp(held);\n        throw error;",
    replace: "        return [];",
  },
];

/** What a storm can put into the store. */
export const defectNames: readonly string[] = defects.map(({ name }) => name);

/** The environment in which a server loads this store in place of the package. */
export function withStore(replaced: string, { href }: URL): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${built("storm/other-store.js")}`, STORM_REPLACES: replaced, STORM_STORE: href };
}

/** A build of the store with a defect. */
interface OtherBuild {
  readonly environment: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

/** Builds the store with a defect. */
export async function buildWith(name: string): Promise<OtherBuild> {
  const defect = defects.find((each) => each.name === name);
  if (defect === undefined) {
    throw new Error(`There is no defect "${name}". There are: ${defectNames.join(", ")}.`);
  }
  const folder = dirname(createRequire(import.meta.url).resolve("@resumable-mcp/store-postgres/package.json"));
  const path = join(folder, "src", defect.file);
  const text = await readFile(path, "utf8");
  if (text.split(defect.find).length !== 2) throw new Error(`${defect.file} does not have one place for ${name}.`);
  // Next to the store's own build, where its dependencies are found.
  const outDir = await mkdtemp(join(folder, "dist", "put-back-"));
  const { build } = await import("tsup");
  await build({
    entry: [join(folder, "src", "index.ts")],
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    platform: "node",
    outDir,
    // Everything that is not of the store.
    external: [/^[^./]/],
    esbuildPlugins: [
      {
        name: "put-back",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\.ts$/ }, (given) =>
            given.path === path
              ? { contents: text.replace(defect.find, () => defect.replace), loader: "ts" }
              : undefined,
          ),
      },
    ],
  });
  await cp(join(folder, "dist", "migrations"), join(outDir, "migrations"), { recursive: true });
  return {
    environment: withStore("@resumable-mcp/store-postgres", pathToFileURL(join(outDir, "index.js"))),
    remove: () => rm(outDir, { recursive: true, force: true }),
  };
}
