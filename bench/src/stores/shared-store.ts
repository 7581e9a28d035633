import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder that the measures of one run share. */
export const sharedFolderVariable = "RESUMABLE_BENCH_SHARED";

/**
 * A folder that is filled by the first measure of a run that needs it, and used by the later ones too.
 *
 * @param fill leaves in the folder what its name says.
 */
export async function sharedFolder(name: string, fill: (directory: string) => Promise<void>): Promise<string> {
  const shared = process.env[sharedFolderVariable] ?? join(tmpdir(), `resumable-bench-${process.pid}`);
  const directory = join(shared, name);
  if (existsSync(directory)) return directory;
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await fill(draft);
  renameSync(draft, directory);
  return directory;
}
