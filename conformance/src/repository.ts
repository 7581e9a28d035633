import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the whole repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The folders of the workspace's packages, from the root. */
export const workspaces: readonly string[] = [
  ...["packages", "apps"].flatMap((parent) => foldersIn(parent).map((name) => `${parent}/${name}`)),
  "bench",
  "conformance",
];

/** The folders of what is published. */
export const published: readonly string[] = workspaces.filter((folder) => folder.startsWith("packages/"));

/** Reads a file of the repository as text. */
export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What is read of a manifest. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads the manifest of a workspace, or of the repository itself. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(read(join(folder, "package.json")));
}

/** The TypeScript and JavaScript that people have written in a workspace, by path from the root. */
export function sourcesOf(workspace: string, folders: readonly string[] = ["src", "test"]): readonly string[] {
  return folders.flatMap((folder) => {
    const path = join(root, workspace, folder);
    if (!existsSync(path)) return [];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  });
}

/** Whether a file holds tests. */
export const isTestFile = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** The titles of the tests in a source, as they are written there. */
export function titlesOf(source: string): readonly string[] {
  const calls =
    /^\s*(?:it|test)(?:\.(?:each|for|skipIf|runIf)[\s\S]*?\)\(|(?:\.\w+)?\()\s*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)/gm;
  return [...source.matchAll(calls)].map(([, literal = ""]) => literal.slice(1, -1));
}

/** The titles of all tests, with the files that they stand in. */
export function allTitles(): readonly { readonly path: string; readonly title: string }[] {
  const paths = workspaces.flatMap((workspace) => sourcesOf(workspace).filter(isTestFile));
  return paths.flatMap((path) => titlesOf(read(path)).map((title) => ({ path, title })));
}

function foldersIn(parent: string): readonly string[] {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
