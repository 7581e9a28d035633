import { cp, lstat, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError, every, list, loadServer, runToEnd, text } from "@resumable-mcp/command-line";
import { helpText, parseFlags } from "@resumable-mcp/command-line/options";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { buildServer } from "./build-server.js";
import { checkServerFlags } from "./check-server-flags.js";
import { makeManifest } from "./manifest.js";

const usage = `Usage: resumable-mcp bundle MODULE [OPTIONS] [-- OPTIONS of serve stdio, with which the host starts the server]

Packs a tools module, with everything that it imports, as a bundle (.mcpb) that Claude Desktop and other hosts install by a double
click. Needs two packages: npm install --save-dev esbuild @anthropic-ai/mcpb`;

const options = {
  to: text("FILE", "where to write it (NAME-VERSION.mcpb)"),
  manifest: text(
    "FILE",
    "JSON with more for the bundle's manifest: display_name, description, author, user_config, compatibility …; what it does not say is taken from the package.json of the module's project",
  ),
  icon: text("FILE", "PNG, 512 × 512 pixels"),
  include: list(
    "PATH",
    "a file or folder without links in it that the tools read; it lies next to the folder of their file",
  ),
  help: every.help,
} as const;

/** Packs a tools module as a bundle. */
export async function runBundle(args: readonly string[]): Promise<void> {
  await runToEnd("resumable-mcp bundle", () => bundle(args));
}

async function bundle(args: readonly string[]): Promise<void> {
  const split = args.includes("--") ? args.indexOf("--") : args.length;
  const serverFlags = args.slice(split + 1);
  const { values, positionals } = parseFlags(args.slice(0, split), options);
  const [module, ...rest] = positionals;
  if (values.help === true) {
    process.stdout.write(helpText({ usage, groups: { options } }, false));
    return;
  }
  if (module === undefined || rest.length > 0)
    throw new CommandError("Name one tools module, as in resumable-mcp bundle ./tools.ts.", 2);
  const [definition, own, projectFile] = await Promise.all([
    loadServer(module),
    values.manifest === undefined ? {} : readJson(values.manifest),
    projectFileOf(resolve(module)),
  ]);
  await checkServerFlags(module, definition.name, serverFlags);
  const project = projectFile === undefined ? {} : await readJson(projectFile);
  const hasIcon = values.icon !== undefined;
  const manifest = makeManifest({ definition, own, project, hasIcon, serverFlags });
  const { bundler, packer } = await loadPackages(manifest);
  const output = resolve(values.to ?? `${definition.name}-${definition.version}.mcpb`);
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-bundle-"));
  try {
    await buildServer(bundler, resolve(module), folder);
    for (const path of values.include ?? []) await include(path, join(folder, basename(resolve(path))));
    if (values.icon !== undefined) await includeIcon(values.icon, join(folder, "icon.png"));
    const license = projectFile === undefined ? undefined : join(dirname(projectFile), "LICENSE");
    if (license !== undefined && (await isFile(license))) await cp(license, join(folder, "LICENSE"));
    const file = join(folder, "manifest.json");
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
    const isPacked =
      packer.validateManifest(file) &&
      (await packer.packExtension({ extensionPath: folder, outputPath: output, silent: true }));
    if (!isPacked) throw new CommandError("The manifest is not valid, as said above. Fix what --manifest names.");
    process.stdout.write(`${output}: ${Math.ceil((await stat(output)).size / 1024)} KiB\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The two packages that only bundles need. All that a bundle lacks is said at once, in the words of this command. */
async function loadPackages({ description, author }: JsonObject) {
  const packages = await Promise.all([import("esbuild"), import("@anthropic-ai/mcpb")]).catch((cause: unknown) => ({
    cause,
  }));
  const facts = [
    ...(typeof description === "string" && description !== "" ? [] : ['description="What it does"']),
    ...(isJsonObject(author) && typeof author.name === "string" ? [] : ['author="Your name"']),
  ];
  if (facts.length === 0 && !("cause" in packages)) return { bundler: packages[0], packer: packages[1] };
  const names = facts.map((fact) => `its ${fact.replace(/=.*/, "")}`);
  const missing = [...names, ...("cause" in packages ? ["two packages"] : [])].join(" and ");
  const commands = [
    ...(facts.length === 0 ? [] : [`npm pkg set ${facts.join(" ")}`]),
    ...("cause" in packages ? ["npm install --save-dev esbuild @anthropic-ai/mcpb"] : []),
  ].map((command) => `\n  ${command}`);
  const place = facts.length === 0 ? "" : " (the file of --manifest may say the same)";
  const text = `A bundle needs ${missing}. In the folder of the project${place}:${commands.join("")}`;
  throw new CommandError(text, 1, "cause" in packages ? packages.cause : undefined);
}

async function readJson(file: string): Promise<JsonObject> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read. Check the path.`, 1, cause);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "";
    throw new CommandError(`${file} is not valid JSON (${reason}).`, 1, cause);
  }
  if (isJsonObject(value)) return value;
  throw new CommandError(`${file} does not hold a JSON object.`);
}

/** The `package.json` next to a module or above it. */
async function projectFileOf(module: string): Promise<string | undefined> {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (await isFile(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === true;
}

async function include(path: string, target: string): Promise<void> {
  if (["server", "manifest.json", "package.json", "icon.png"].includes(basename(target)))
    throw new CommandError(`--include ${path}: the bundle has a ${basename(target)} of its own. Rename yours.`);
  try {
    // The path itself may be a link: its author has named it.
    await cp(await realpath(path), target, { recursive: true, filter: (file) => refuseLink(path, file) });
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`--include ${path} cannot be read. Check the path.`, 1, cause);
  }
}

/** What a link leads to may be a file that is not for others, and may lie outside of what is named. */
async function refuseLink(path: string, file: string): Promise<true> {
  if (!(await lstat(file)).isSymbolicLink()) return true;
  const text = `--include ${path}: ${file} is a link, which a bundle does not follow.`;
  throw new CommandError(`${text} Put the file itself there, or remove the link.`);
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

async function includeIcon(path: string, target: string): Promise<void> {
  const icon = await readFile(path).catch((cause: unknown) => {
    throw new CommandError(`--icon ${path} cannot be read. Check the path.`, 1, cause);
  });
  if (!icon.subarray(0, pngSignature.length).equals(pngSignature))
    throw new CommandError(`--icon ${path} is not a PNG file.`);
  await writeFile(target, icon);
}
