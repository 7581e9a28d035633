import { basename, relative, resolve, sep } from "node:path";
import { watch } from "chokidar";

/** An editor writes a file in several steps. */
const quietMs = 50;

/**
 * Calls back when a source below one of the folders was changed, once for changes that come together.
 *
 * Not watched: what is installed, folders whose name begins with a dot, and the folder of the tasks, which changes all the time.
 *
 * @returns what ends it.
 */
export function watchFiles(
  watched: readonly string[],
  store: string,
  onChange: (file: string) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // Paths are reported as their folder is given.
  const folders = watched.map((folder) => resolve(folder));
  const isIgnored = (watched: string) => {
    const path = resolve(watched);
    const name = basename(path);
    const isBelowStore = path === store || path.startsWith(store + sep);
    return isBelowStore || name === "node_modules" || (name.startsWith(".") && !folders.includes(path));
  };
  const watcher = watch(folders, { ignored: isIgnored, ignoreInitial: true });
  watcher.on("all", (_event, path) => {
    // Data is what tools write: only code is looked at.
    if (!/\.[cm]?[jt]s$/.test(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => onChange(relative(process.cwd(), path)), quietMs);
  });
  watcher.on("error", (error) =>
    process.stderr.write(`Changes may go unseen: ${error instanceof Error ? error.message : String(error)}\n`),
  );
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
