// Makes the API reference out of the docstrings: a page for each entry that a user can import.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Converter, ReflectionKind } from "typedoc";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const source = "@resumable-mcp/source";

/** What users import: its name, and the source that it is made of, from the folder of the packages. */
const entries = readdirSync(packages).flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(`${packages}${folder}/package.json`, "utf8"));
  const modules = Object.entries(exports).filter(
    ([entry, target]) => entry !== "./internal" && target[source] !== undefined,
  );
  return modules.map(([entry, target]) => ({ name: name + entry.slice(1), path: folder + target[source].slice(1) }));
});

/** Gives modules the names by which users import them. TypeDoc calls them by their files. */
function nameEntries({ converter }) {
  const names = new Map(entries.map(({ name, path }) => [path.replace(/(?:\/index)?\.ts$/, ""), name]));
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module))
      module.name = names.get(module.name) ?? module.name;
  });
}

/** Finds what a docstring links to without importing it: the classes of the core, and those of JavaScript. */
function findLinks({ converter }) {
  const kinds = ReflectionKind.Class | ReflectionKind.Interface;
  converter.addUnknownSymbolResolver((_reference, { project }, part) => {
    const name = part?.text.trim();
    if (/^(?:Type|Range)?Error$/.test(name)) {
      return `https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/${name}`;
    }
    const target = project.getReflectionsByKind(kinds).find((found) => found.name === name);
    return target && { target };
  });
}

export default {
  plugin: ["typedoc-plugin-markdown", nameEntries, findLinks],
  name: "API reference",
  tsconfig: "tsconfig.typedoc.json",
  entryPoints: entries.map(({ path }) => packages + path),
  out: "../docs/api",
  readme: "none",
  router: "module",
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  useHTMLAnchors: true,
  anchorPrefix: "api-",
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  sanitizeComments: true,
  disableSources: true,
  // The packages check their own types.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  // What only stands in a signature has no page.
  validation: { notExported: false },
  treatWarningsAsErrors: true,
  logLevel: "Warn",
};
