import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The version of this package, and of the packages that the project uses. The build and the test runner put it here. */
declare const RESUMABLE_MCP_VERSION: string;

/** What was written. */
export interface CreatedProject {
  /** The absolute path. */
  readonly folder: string;
  /** The name in its package.json. */
  readonly name: string;
  /** The files, relative to the folder. */
  readonly files: readonly string[];
}

const template = fileURLToPath(new URL("../template/", import.meta.url));

/** What npm leaves out of a package, or reads as the manifest of one, has another name there. */
const renamed: Readonly<Record<string, string>> = { gitignore: ".gitignore", dockerignore: ".dockerignore" };

/**
 * Writes a project into a folder, which is made if it is not there.
 *
 * @param path the folder; its name becomes the name of the project.
 * @throws Error when the folder is not empty: nothing is written then.
 */
export async function createProject(path: string): Promise<CreatedProject> {
  const folder = resolve(path);
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  if (name === "") throw new Error(`${path} gives no name for a package. Choose a folder with letters in its name.`);
  await makeFolder(folder);
  const present = (await readdir(folder)).filter((entry) => entry !== ".git");
  if (present.length > 0)
    throw new Error(`${folder} is not empty (${present.slice(0, 3).join(", ")}). Choose another folder.`);
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile()).map(({ parentPath, name: file }) => join(parentPath, file));
  const files: string[] = [];
  for (const source of sources.sort()) {
    const relative = source.slice(template.length);
    const target = renamed[relative] ?? relative;
    const text = await readFile(source, "utf8");
    await mkdir(dirname(join(folder, target)), { recursive: true });
    await writeFile(
      join(folder, target),
      text.replaceAll("PROJECT_NAME", name).replaceAll("RELEASED_VERSION", RESUMABLE_MCP_VERSION),
    );
    files.push(target);
  }
  return { folder, name, files };
}

/** Not `recursive: true`: that tries without end where the system makes no folder, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  const above = dirname(path);
  // A drive that does not exist is above itself.
  if (above !== path) await makeFolder(above);
  await mkdir(path);
}
