import fs from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with those above it; one that exists stays as it is.
 *
 * @param mode the permissions of what is made: for its user alone by default.
 * Not `recursive: true` of Node: that tries without end where the system makes no folder, as in /proc.
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (fs.existsSync(path) && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (above !== path && !fs.existsSync(above)) makeFolder(above, mode);
  try {
    fs.mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isTaken || !fs.statSync(path).isDirectory()) throw error;
  }
}
