/** A folder of sources whose tests are judged by mutants. */
export interface Folder {
  /** As the command line names it. */
  readonly name: string;
  /** Under `packages/`; its tests judge. */
  readonly package: string;
  /** Within the package. */
  readonly path: string;
  /** How many mutants are drawn, where all take too long. */
  readonly sample?: number;
  /** The plans of the simulator in which its code runs, where those are not all. */
  readonly isDatabase?: true;
}

/** What holds the guarantees. */
export const folders: readonly Folder[] = [
  { name: "core/task", package: "core", path: "src/task" },
  { name: "core/engine", package: "core", path: "src/engine" },
  { name: "store-fs/journal", package: "store-fs", path: "src/journal" },
  { name: "store-fs/task", package: "store-fs", path: "src/task" },
  { name: "mcp/call", package: "mcp", path: "src/call" },
  { name: "mcp/session", package: "mcp", path: "src/era-2025/session" },
  { name: "store-postgres/task", package: "store-postgres", path: "src/task", sample: 160, isDatabase: true },
  { name: "store-postgres/journal", package: "store-postgres", path: "src/journal", sample: 40, isDatabase: true },
];

/** The folder that holds a mutant's file. @throws {@link RangeError} for a file of none. */
export function folderOf(file: string): Folder {
  const folder = folders.find(({ package: name, path }) => file.startsWith(`${name}/${path}/`));
  if (folder === undefined) throw new RangeError(`${file} is in no folder that is judged by mutants.`);
  return folder;
}
