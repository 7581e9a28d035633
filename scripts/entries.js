// What packages export: their entries, and the names in these.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The sources of the entries of a package, whose folder is given. */
export function entriesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.values(exports).flatMap(({ "@resumable-mcp/source": source }) =>
    source === undefined ? [] : [join(folder, source)],
  );
}

/** The names that a source declares at its top, exported or not. */
export function declaredNames(file, exported = false) {
  const declared = /^(export )?(?:declare |abstract |async )*(?:const|let|function|class|interface|type) (\w+)/gm;
  return [...codeOf(file).matchAll(declared)].flatMap(([, isExported, name]) =>
    exported && isExported === undefined ? [] : [name],
  );
}

/** The names that a source exports. */
export function exportedNames(file) {
  const listed = [...codeOf(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
    names.split(",").flatMap((name) => name.trim().split(" ").at(-1) || []),
  );
  const others = [...codeOf(file).matchAll(/^export \* from "(\.[^"]*)"/gm)].flatMap(([, from]) =>
    exportedNames(join(dirname(file), from.replace(/\.js$/, ".ts"))),
  );
  return [...listed, ...declaredNames(file, true), ...others];
}

const codeOf = (file) => readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
