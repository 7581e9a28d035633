import { mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { type Program, start } from "./program.js";
import { manifestOf, published, read, root } from "./repository.js";

/** A project outside the repository that has the packages as users get them. */
export interface PackedProject {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a file into the project. */
  write(name: string, text: string): Promise<void>;
  /** Starts `node` on a file of the project, or one of the programs that the packages install. */
  run(command: string, ...args: readonly string[]): Program;
  /** The path of a program that the packages install. */
  bin(name: string): string;
  /** The manifest of an installed package. */
  installedManifest(name: string): Promise<string>;
  /** A new folder inside the project, to which the same packages are installed. */
  folder(name: string): Promise<PackedProject>;
}

/** Another version of the SDK, in addition to the one under its own name: servers of both have to be served. */
export const olderSdk = { name: "sdk-1-25", version: "1.25.3" } as const;

/** Packs every published package and installs the tarballs with npm, what a TypeScript project needs, and the SDK. */
export async function createProject(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "empty-project-")));
  const env = cleanEnvironment(directory);
  const tarballs = await Promise.all(published.map((folder) => pack(folder, directory, env)));
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const others = ["zod", "typescript", "@types/node", "@modelcontextprotocol/sdk"].map(
    (name) => `${name}@${catalogVersion(name)}`,
  );
  const older = `${olderSdk.name}@npm:@modelcontextprotocol/sdk@${olderSdk.version}`;
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  await start("npm", ["install", ...quiet, ...tarballs, ...others, older], { cwd: directory, env }).succeeded();
  return directory;
}

/** Opens a project that was created, or a folder inside it. */
export function openProject(root: string, directory = root): PackedProject {
  const env = cleanEnvironment(root);
  const bin = (name: string) => join(root, "node_modules", ".bin", name);
  return {
    directory,
    env,
    bin,
    write: (name, text) => writeFile(join(directory, name), text),
    run: (command, ...args) =>
      start(command === "node" ? process.execPath : bin(command), args, { cwd: directory, env }),
    installedManifest: (name) => readFile(join(root, "node_modules", name, "package.json"), "utf8"),
    async folder(name) {
      const path = join(directory, name);
      await mkdir(path);
      return openProject(root, path);
    },
  };
}

async function pack(folder: string, directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const packed = join(directory, "packed");
  await mkdir(packed, { recursive: true });
  const tarball = join(packed, `${basename(folder)}.tgz`);
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  await start(pnpm, ["pack", "--out", tarball], { cwd: join(root, folder), env }).succeeded();
  return tarball;
}

/** Nothing of the repository's own installation reaches the project, and its programs keep their data inside it. */
function cleanEnvironment(directory: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_ENV$|VITEST)/i.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  const folders = ["STATE", "DATA", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(directory, kind.toLowerCase())]);
  return { ...Object.fromEntries([...inherited, ...folders]), PATH: path.join(delimiter) };
}

/** The version that the workspace itself uses. */
function catalogVersion(name: string): string {
  const quoted = name.replaceAll("/", "\\/");
  const version = new RegExp(`^  "?${quoted}"?: (\\S+)$`, "m").exec(read("pnpm-workspace.yaml"))?.[1];
  if (version === undefined) throw new Error(`The catalog of pnpm-workspace.yaml has no ${name}.`);
  return version;
}

/** What a user of a package can import: the package itself, and each further entry. */
export function entriesOf(folder: string): readonly string[] {
  const { name, exports = {} } = manifestOf(folder);
  return Object.keys(exports)
    .filter((entry) => entry !== "./package.json")
    .map((entry) => name + entry.slice(1));
}
