// Packs the package in the working directory as it would be published, and lints what is in the tarball.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const directory = mkdtempSync(join(tmpdir(), "check-package-"));
const tarball = join(directory, "package.tgz");

const pnpm = fileURLToPath(new URL("pnpm.js", import.meta.url));
const scripts = fileURLToPath(new URL(".", import.meta.url));

/** By pnpm's script: Windows starts no program of node_modules/.bin without a shell. */
function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [pnpm, ...args], { encoding: "utf8" });
  if (status === 0) return true;
  process.stderr.write(`pnpm ${args.join(" ")}\n${stdout}${stderr}\n`);
  return false;
}

const packed = run("pack", "--out", tarball);
// Both linters run even if the first one complains, so that one run shows all problems.
const results = packed
  ? [
      run("-C", scripts, "exec", "publint", "run", tarball, "--strict"),
      run("-C", scripts, "exec", "attw", tarball, "--profile", "esm-only"),
    ]
  : [false];
rmSync(directory, { recursive: true, force: true });
process.exitCode = results.every(Boolean) ? 0 : 1;
