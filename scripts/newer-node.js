import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

/** The version that tests run on in addition to the oldest one that is supported. */
export const newerNode = "node@24.21.0";

/** Where its program is; the first call brings it from the registry. */
export async function pathOfNewerNode() {
  const args = ["--yes", "--prefer-offline", "--package", newerNode, "--", "node", "-p", "process.execPath"];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: tmpdir() });
  return stdout.trim();
}
