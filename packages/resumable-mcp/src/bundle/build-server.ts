import { cp, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "@resumable-mcp/command-line";
import type { BuildFailure, BuildOptions } from "esbuild";
import { writeThirdPartyLicenses } from "../../../../scripts/third-party-licenses.js";
import { findFile } from "../command-line/run-program.js";

/** The part of esbuild that is used. */
export interface Bundler {
  build(options: BuildOptions): Promise<unknown>;
}

/** Errors that are shown of a build that failed. */
const maxShownErrors = 3;

/** What a bundle never needs: what loads TypeScript, and tasks in a database. */
const leftOut = ["jiti", "@resumable-mcp/store-postgres"];

/**
 * Writes the supervisor, its server and the tools with everything that they import into `server/` of a folder, as a few self-contained
 * files, and the licences of what was imported next to it.
 *
 * @throws {@link CommandError} that says what cannot be bundled, with file and line.
 */
export async function buildServer({ build }: Bundler, module: string, folder: string): Promise<void> {
  const supervisor = findFile({ package: "@resumable-mcp/server-stdio", bin: "resumable-mcp-stdio" });
  const options: BuildOptions = {
    entryPoints: { cli: supervisor, tools: module },
    outdir: join(folder, "server"),
    bundle: true,
    splitting: true,
    format: "esm",
    target: "node20",
    platform: "node",
    mainFields: ["module", "main"],
    minify: true,
    external: leftOut,
    logLevel: "silent",
    plugins: [writeThirdPartyLicenses(join(folder, "THIRD_PARTY_LICENSES"))],
    // Some dependencies are CommonJS and call `require`, which an ES module has to make for them.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  };
  await build(options).catch((error: unknown) => {
    if (isBuildFailure(error)) throw new CommandError(sentenceOf(error, module), 1, error);
    throw error;
  });
  // What the bundled server loads when it needs it, by its name.
  const late = join(dirname(supervisor), "bundled");
  const names = (await readdir(late)).filter((name) => name.endsWith(".cjs"));
  await Promise.all(names.map((name) => cp(join(late, name), join(folder, "server", name))));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

function sentenceOf({ errors }: BuildFailure, module: string): string {
  const shown = errors.slice(0, maxShownErrors).map(({ text, location }) => {
    const place = location === null ? "" : ` (${location.file}:${location.line})`;
    return `${text}${place}`;
  });
  return `${module} cannot be bundled: ${shown.join("; ")}. A module with native code cannot be part of a bundle.`;
}
