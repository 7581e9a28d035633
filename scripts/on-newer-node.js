// Runs a program of node_modules/.bin on the newer Node that the packages support too: `node on-newer-node.js vitest run`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathOfNewerNode } from "./newer-node.js";

/** The script behind a program of a package that the present folder depends on. */
function programOf(name) {
  const manifest = createRequire(join(process.cwd(), "package.json")).resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return join(dirname(manifest), typeof bin === "string" ? bin : bin[name]);
}

const [name, ...args] = process.argv.slice(2);
const child = spawn(await pathOfNewerNode(), [programOf(name), ...args], { stdio: "inherit" });
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
