// Runs the pnpm of this repository, whose packages have the hashes that pnpm-lock.yaml names: `node scripts/pnpm.js ARGUMENTS`.
// A fresh machine has Node and npm and nothing else: npm fetches pnpm, and refuses what has another hash. No install script runs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { pnpm: version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");

/** The hash that the lockfile names for a package of this version. */
function integrityOf(name) {
  const key = `${name}@${version}`.replaceAll(".", "\\.");
  return new RegExp(`^ {2}'?${key}'?:\\n {4}resolution: \\{integrity: (\\S+?)[,}]`, "m").exec(lockfile)?.[1];
}

/** The package with the program for this machine: glibc says its version, musl does not. */
function programPackage() {
  const isMusl = process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `@pnpm/exe.${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;
}

/** Runs npm, the one that runs this if one does, and ends with it where it fails. */
function npm(args, options) {
  const { npm_execpath: own } = process.env;
  const [command, ...words] = own?.endsWith(".js") ? [process.execPath, own, ...args] : ["npm", ...args];
  const { status, error } = spawnSync(command, words, { stdio: "inherit", shell: command === "npm", ...options });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Installs these packages, unless the folder has them: npm compares their hashes with this lockfile. */
function install(folder, packages) {
  const done = join(folder, "installed");
  if (existsSync(done)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(packages.map(({ name }) => [name, version]));
  const entries = packages.map(({ name, integrity }) => [`node_modules/${name}`, { version, integrity }]);
  const lock = { lockfileVersion: 3, packages: { "": { dependencies }, ...Object.fromEntries(entries) } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  npm(["ci", "--ignore-scripts", "--prefer-offline", ...quiet], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(done, "");
}

const args = process.argv.slice(2);
const packages = ["pnpm", programPackage()].map((name) => ({ name, integrity: integrityOf(name) }));
const unknown = packages.find(({ integrity }) => integrity === undefined);
if (unknown === undefined) {
  const folder = join(root, "node_modules", ".cache", `pnpm-${version}`);
  const isInstalled = () => {
    const manifest = join(root, "node_modules", "pnpm", "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  };
  const isOwn = isInstalled();
  if (!isOwn) install(folder, packages);
  const program = join(isOwn ? root : folder, "node_modules", "pnpm", "bin", "pnpm.mjs");
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" });
  // What pnpm installs has itself among it: one is enough.
  if (!isOwn && isInstalled()) rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
} else {
  console.error(`pnpm-lock.yaml has no hash of ${unknown.name}@${version}: pnpm comes by its version alone.`);
  npm(["exec", "--yes", `--package=pnpm@${version}`, "--", "pnpm", ...args], { cwd: root });
}
