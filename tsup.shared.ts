import type { Options } from "tsup";

/**
 * Builds a package's entries as ES modules whose dependencies stay outside.
 *
 * Declarations come from `tsc -p tsconfig.build.json`: tsup's own need a compiler API that TypeScript 7 has not.
 */
export function library(entry: string[], options: Options = {}): Options {
  return {
    entry,
    format: "esm",
    target: "node20",
    platform: "node",
    sourcemap: true,
    clean: true,
    silent: true,
    ...options,
  };
}
