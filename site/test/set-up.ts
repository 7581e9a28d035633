import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the site once for all tests. A link to a page that is not there fails it. */
export function setup(): void {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const shell = process.platform === "win32";
  const { status, stdout, stderr } = spawnSync("npm", ["run", "-s", "site:build"], { cwd, shell, encoding: "utf8" });
  if (status !== 0) throw new Error(`The site was not built.\n${stdout}${stderr}`);
}
