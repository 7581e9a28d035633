import { createRequire } from "node:module";
import { join } from "node:path";
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
    banner: { js: requireHere },
    define: { "process.env.NODE_ENV": '"production"' },
    esbuildPlugins: [withoutDevtools, writeThirdPartyLicenses("dist/THIRD_PARTY_LICENSES")],
    esbuildOptions: fromTheirSources,
  });
}

/** Builds packages into a library, with what they import. */
export function withPackages(packages: RegExp, licenses = "dist/THIRD_PARTY_LICENSES"): Options {
  return {
    noExternal: [packages],
    banner: { js: requireHere },
    esbuildPlugins: [writeThirdPartyLicenses(licenses)],
    // jsonc-parser's CommonJS requires in a way that no bundler sees.
    esbuildOptions: (options) => {
      options.mainFields = ["module", "main"];
    },
  };
}

/** Builds an entry of a package with the packages that it bundles, minified: what it needs of them is a hundredth of them. */
export function bundledLibrary(entry: Record<string, string>, noExternal: RegExp): Options {
  return {
    ...library([], { clean: false, minify: true, splitting: false, ...withPackages(noExternal) }),
    entry,
  };
}

/** In place of the SDK's validator, which is loaded by the first schema from a file of its own: one is made for each server. */
const lateValidator = `const load = () => require("./ajv.cjs");
export class AjvJsonSchemaValidator {
  #validator;
  getValidator(schema) {
    this.#validator ??= new (load().AjvJsonSchemaValidator)();
    return this.#validator.getValidator(schema);
  }
}
export { AjvJsonSchemaValidator as n };`;

// What a package imports may have the usual name.
const requireHere =
  'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/**
 * Leaves out of a server what it does not need before its first answer. A module that is not found fails the build. The SDK of the
 * 2025 era is for a `setup` only, whose server is not bundled.
 */
const startsSooner: Plugin = {
  name: "starts-sooner",
  setup(build) {
    const missing = new Set(["validator", "locales"]);
    build.onResolve({ filter: /\/ajvProvider-\w+\.mjs$/ }, ({ path, importer }) =>
      /\/shimsNode\.mjs$/.test(importer) ? { path, namespace: "late" } : undefined,
    );
    build.onResolve({ filter: /./, namespace: "late" }, ({ path }) => ({ path, external: true }));
    build.onLoad({ filter: /./, namespace: "late" }, () => {
      missing.delete("validator");
      return { contents: lateValidator };
    });
    // Of zod's languages a server speaks one.
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => {
      missing.delete("locales");
      return { contents: 'export { default as en } from "./en.js";' };
    });
    build.onResolve({ filter: /^@modelcontextprotocol\/sdk\// }, ({ path }) => ({ path, external: true }));
    build.onEnd(() => ({
      errors: [...missing].map((name) => ({ text: `The bundle holds no ${name}: adapt tsup.shared.ts.` })),
    }));
  },
};

/** Leaves imports to the files that stand there when the package is built. */
function externalFiles(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: "external-files",
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, importer }) => {
        // A neighbour's source may import a file of the same name.
        const file = importer.startsWith(join(process.cwd(), "src")) ? files[path] : undefined;
        return file === undefined ? undefined : { path: file, external: true };
      });
    },
  };
}

/** Takes the neighbours' sources: of them only what is used goes into a bundle; of what they are built to, whole chunks would. */
export function fromSources(files: Readonly<Record<string, string>>): Options {
  return {
    clean: false,
    noExternal: [/^@resumable-mcp\//],
    esbuildPlugins: [externalFiles(files)],
    esbuildOptions: fromTheirSources,
  };
}

const fromTheirSources: NonNullable<Options["esbuildOptions"]> = (options) => {
  options.conditions = ["@resumable-mcp/source"];
};

/**
 * Builds a server with its SDK and zod as a few minified files in `dist/bundled`: it starts sooner;
 * docs/decisions/0015.
 */
export function bundledServer(entry: string): Options[] {
  const whole: Options = {
    ...fromSources({}),
    outDir: "dist/bundled",
    minify: true,
    noExternal: [/.*/],
    define: { "process.env.NODE_ENV": '"production"' },
  };
  return [
    library([entry], {
      ...whole,
      // What the other build writes has the same names each time.
      clean: ["!*.cjs", "!THIRD_PARTY_LICENSES"],
      splitting: true,
      banner: { js: requireHere },
      esbuildPlugins: [startsSooner, writeThirdPartyLicenses("dist/THIRD_PARTY_LICENSES")],
    }),
    {
      ...library([], { ...whole, format: "cjs", sourcemap: false }),
      entry: {
        ajv: createRequire(join(process.cwd(), "package.json")).resolve("@modelcontextprotocol/server/validators/ajv"),
      },
      esbuildPlugins: [writeThirdPartyLicenses("dist/bundled/THIRD_PARTY_LICENSES")],
    },
  ];
}
