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
  });
}

/** Builds packages into a library, with what they import. */
export function withPackages(packages: RegExp): Options {
  return {
    noExternal: [packages],
    banner: { js: requireHere },
    esbuildPlugins: [writeThirdPartyLicenses("dist/THIRD_PARTY_LICENSES")],
  };
}

/** Builds an entry of a package with the packages that it bundles, minified: what it needs of them is a hundredth of them. */
export function bundledLibrary(entry: Record<string, string>, noExternal: RegExp): Options {
  return {
    ...library([], { clean: false, minify: true, splitting: false, ...withPackages(noExternal) }),
    entry,
  };
}

/** A module of a bundle that is loaded by the first use of what it exports, from a file of its own. */
interface LateModule {
  readonly name: string;
  /** The file that is bundled, for who imports it. */
  readonly path: RegExp;
  readonly importer: RegExp;
  /** What that file is built from, as the SDK of the 2025 era finds it. */
  readonly source: string;
  readonly exports: string;
}

/** Makes its validator by the first schema: both SDKs make one for each server. */
const lateValidator = `export class AjvJsonSchemaValidator {
  #validator;
  getValidator(schema) {
    this.#validator ??= new (load().AjvJsonSchemaValidator)();
    return this.#validator.getValidator(schema);
  }
}
export { AjvJsonSchemaValidator as n };`;

const lateFunction = (name: string): string => `export const ${name} = (...args) => load().${name}(...args);`;

/** What no tools module without `setup` reaches before its first call. */
const lateModules: readonly LateModule[] = [
  {
    name: "ajv-2025",
    path: /validation\/ajv-provider\.js$/,
    importer: /\/server\/index\.js$/,
    source: "@modelcontextprotocol/sdk/validation/ajv",
    exports: lateValidator,
  },
  {
    name: "ajv-2026",
    path: /\/ajvProvider-\w+\.mjs$/,
    importer: /\/shimsNode\.mjs$/,
    source: "@modelcontextprotocol/server/validators/ajv",
    exports: lateValidator,
  },
  {
    name: "zod-to-json-schema",
    path: /^zod-to-json-schema$/,
    importer: /\/server\/zod-json-schema-compat\.js$/,
    source: "zod-to-json-schema",
    exports: lateFunction("zodToJsonSchema"),
  },
  {
    name: "zod-v3",
    path: /^zod\/v3$/,
    importer: /\/server\/zod-compat\.js$/,
    source: "zod/v3",
    exports: lateFunction("object"),
  },
];

const requireHere = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Leaves out of a server what it does not need before its first answer. A module that is not found fails the build. */
const startsSooner: Plugin = {
  name: "starts-sooner",
  setup(build) {
    const found = new Set<string>();
    for (const { name, path, importer, exports } of lateModules) {
      const namespace = `late-${name}`;
      build.onResolve({ filter: path }, (module) =>
        importer.test(module.importer) ? { path: module.path, namespace } : undefined,
      );
      build.onResolve({ filter: /./, namespace }, ({ path: file }) => ({ path: file, external: true }));
      build.onLoad({ filter: /./, namespace }, () => {
        found.add(name);
        return { contents: `const load = () => require("./${name}.cjs");\n${exports}` };
      });
    }
    // Of zod's languages a server speaks one.
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => {
      found.add("locales");
      return { contents: 'export { default as en } from "./en.js";' };
    });
    build.onEnd(() => {
      const missing = ["locales", ...lateModules.map(({ name }) => name)].filter((name) => !found.has(name));
      return { errors: missing.map((name) => ({ text: `The bundle holds no ${name}: adapt tsup.shared.ts.` })) };
    });
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
    esbuildOptions: (options) => {
      options.conditions = ["@resumable-mcp/source"];
    },
  };
}

/**
 * Builds a server with its SDKs and zod as a few minified files in `dist/bundled`: it starts sooner;
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
      entry: lateSources(),
      esbuildPlugins: [writeThirdPartyLicenses("dist/bundled/THIRD_PARTY_LICENSES")],
    },
  ];
}

function lateSources(): Record<string, string> {
  const here = createRequire(join(process.cwd(), "package.json"));
  const sdk = createRequire(here.resolve("@modelcontextprotocol/sdk/types.js"));
  const fileOf = (source: string) => (source.startsWith("@modelcontextprotocol/") ? here : sdk).resolve(source);
  return Object.fromEntries(lateModules.map(({ name, source }) => [name, fileOf(source)]));
}
