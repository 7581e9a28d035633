import { defineConfig, type Options } from "tsup";
import { library } from "../../tsup.shared.js";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Ink imports its developer tools only when asked to, but a bundle has to hold something in their place. */
const withoutDevtools: Plugin = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: "without-devtools" }));
    build.onLoad({ filter: /.*/, namespace: "without-devtools" }, () => ({ contents: "export default {};" }));
  },
};

/** One self-contained minified file: the first frame comes in half the time. */
const cli = library(["src/cli.ts"], {
  clean: false,
  minify: true,
  splitting: false,
  noExternal: [/.*/],
  // Some dependencies are CommonJS and call `require`, which an ES module has to make for them.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  define: { "process.env.NODE_ENV": '"production"' },
  esbuildPlugins: [withoutDevtools],
});

// Both builds run at once: the cleaning one spares the other's files.
export default defineConfig([library(["src/index.ts"], { clean: ["!cli.js", "!cli.js.map"] }), cli]);
