// Packs the package in the working directory as it would be published, and lints what is in the tarball.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "check-package-"));
const tarball = join(directory, "package.tgz");

function run(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return true;
  process.stderr.write(`${command} ${args.join(" ")}\n${stdout}${stderr}\n`);
  return false;
}

const packed = run("pnpm", "pack", "--out", tarball);
// Both linters run even if the first one complains, so that one run shows all problems.
const results = packed
  ? [run("publint", "run", tarball, "--strict"), run("attw", tarball, "--profile", "esm-only")]
  : [false];
rmSync(directory, { recursive: true, force: true });
process.exitCode = results.every(Boolean) ? 0 : 1;
