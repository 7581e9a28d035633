import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../src/repository.js";

const version = "1.2.3";
const { glibcVersionRuntime } = Object(Reflect.get(Object(process.report.getReport()), "header"));
const isMusl = process.platform === "linux" && glibcVersionRuntime === undefined;
const program = `@pnpm/exe.${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pnpm-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs a program without blocking this process, which is the registry. */
async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { code, output };
}

/** The file of a package that says with which arguments it is run. */
async function packed(name: string): Promise<Buffer> {
  const folder = await temporary();
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, version }));
  await writeFile(join(folder, "bin", "pnpm.mjs"), 'console.log("pnpm runs", ...process.argv.slice(2));');
  await run("npm", ["pack", "--silent"], folder);
  const file = (await readdir(folder)).find((entry) => entry.endsWith(".tgz"));
  return readFile(join(folder, file ?? ""));
}

const hashOf = (file: Buffer) => `sha512-${createHash("sha512").update(file).digest("base64")}`;

/** A registry that serves these files, and says of each the hash that it has. */
async function registry(files: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const path = decodeURIComponent(url.slice(1));
    const file = files.get(path.replace(/\.tgz$/, ""));
    if (file === undefined) return response.writeHead(404).end();
    if (path.endsWith(".tgz")) return response.end(file);
    const { port } = server.address() as AddressInfo;
    const dist = { integrity: hashOf(file), tarball: `http://127.0.0.1:${port}/${path}.tgz` };
    const versions = { [version]: { name: path, version, dist } };
    return response.end(JSON.stringify({ name: path, "dist-tags": { latest: version }, versions }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A repository whose lockfile names these hashes, and what its script does. */
async function repository(hashes: ReadonlyMap<string, string>, served: ReadonlyMap<string, Buffer>) {
  const folder = await temporary();
  await mkdir(join(folder, "scripts"));
  await cp(join(root, "scripts", "pnpm.js"), join(folder, "scripts", "pnpm.js"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", devDependencies: { pnpm: version } }));
  const entries = [...hashes].map(([name, integrity]) => {
    const key = name.startsWith("@") ? `'${name}@${version}'` : `${name}@${version}`;
    return `  ${key}:\n    resolution: {integrity: ${integrity}}\n    engines: {node: '>=18'}\n`;
  });
  await writeFile(join(folder, "pnpm-lock.yaml"), `packages:\n\n${entries.join("\n")}`);
  const env = { npm_config_registry: await registry(served), npm_config_cache: await temporary(), npm_execpath: "" };
  return () => run(process.execPath, [join(folder, "scripts", "pnpm.js"), "install", "--frozen-lockfile"], folder, env);
}

const names = ["pnpm", program];

test("pnpm comes with the hashes of the lockfile, once, and gets the arguments", async () => {
  const files = new Map(await Promise.all(names.map(async (name) => [name, await packed(name)] as const)));
  const hashes = new Map([...files].map(([name, file]) => [name, hashOf(file)]));
  const start = await repository(hashes, files);
  const expected = { code: 0, output: "pnpm runs install --frozen-lockfile\n" };
  expect(await start()).toEqual(expected);
  files.clear();
  expect(await start()).toEqual(expected);
});

test.each(names)("of another file under the same version nothing runs: %s", async (other) => {
  const files = new Map(await Promise.all(names.map(async (name) => [name, await packed(name)] as const)));
  const hashes = new Map([...files].map(([name, file]) => [name, hashOf(name === other ? Buffer.from("else") : file)]));
  const { code, output } = await (await repository(hashes, files))();
  expect(code).not.toBe(0);
  expect(output).toContain("EINTEGRITY");
  expect(output).not.toContain("pnpm runs");
});

test("the lockfile of this repository names the hashes for the machines that pack what is published", async () => {
  const lockfile = await readFile(join(root, "pnpm-lock.yaml"), "utf8");
  const { pnpm } = JSON.parse(await readFile(join(root, "package.json"), "utf8")).devDependencies;
  for (const name of ["pnpm", "'@pnpm/exe.linux-x64"])
    expect(lockfile).toMatch(new RegExp(`^ {2}${name}@${pnpm}'?:\\n {4}resolution: \\{integrity: sha512-`, "m"));
});
