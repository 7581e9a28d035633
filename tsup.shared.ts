import type { Options } from "tsup";
import { releaseVersion } from "./scripts/release-version.js";
import { writeThirdPartyLicenses } from "./scripts/third-party-licenses.js";

/** What `version.ts` of a package reads: the version that the packages have when they are built. */
const versionDefine = { RESUMABLE_MCP_VERSION: JSON.stringify(releaseVersion()) };

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
    define: { ...versionDefine, ...options.define },
  };
}

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Ink imports its developer tools only when asked to, but a bundle has to hold something in their place. */
const withoutDevtools: Plugin = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: "without-devtools" }));
    build.onLoad({ filter: /.*/, namespace: "without-devtools" }, () => ({ contents: "export default {};" }));
  },
};

/** Builds a program that draws with Ink as one minified file: the first frame comes in half the time. */
export function selfContained(entry: string[]): Options {
  return library(entry, {
    clean: false,
    minify: true,
    splitting: false,
    noExternal: [/.*/],
    // Some dependencies are CommonJS and call `require`, which an ES module has to make for them.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    define: { "process.env.NODE_ENV": '"production"' },
    esbuildPlugins: [withoutDevtools, writeThirdPartyLicenses("dist/THIRD_PARTY_LICENSES")],
  });
}
