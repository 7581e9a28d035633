import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the site once for all tests. A link to a page that is not there fails it. */
export function setup(): void {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  execFileSync("npm", ["run", "-s", "site:build"], { cwd, stdio: "pipe", shell: process.platform === "win32" });
}
