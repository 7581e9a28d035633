import { expect, test } from "vitest";
import { releaseVersion } from "../../scripts/release-version.js";
import { isTestFile, manifestOf, published, read, sourcesOf, workspaces } from "../src/repository.js";
import { firstExample } from "./readme-examples.js";

/** The modules that a source imports, exports from, or loads, types included. */
function importsOf(source: string): readonly string[] {
  const statements = /^(?:import|export)\b[^;]*?from\s+["']([^"']+)["']|^import\s+["']([^"']+)["']/gm;
  const calls = /\b(?:import|require)\(\s*["']([^"']+)["']/g;
  return [...source.matchAll(statements), ...source.matchAll(calls)].map(([, one, two]) => one ?? two ?? "");
}

const importing = (workspace: string, folders: readonly string[], wanted: RegExp) =>
  sourcesOf(workspace, folders)
    .filter((path) => importsOf(read(path)).some((name) => wanted.test(name)))
    .sort();

const protocolSdk = /^@modelcontextprotocol\//;
const knowsProtocol = new Set(["packages/mcp", "packages/client", "packages/panel"]);

test("reads imports of every form", () => {
  const source = [
    'import "bare";',
    'import type { A } from "type";',
    "import {\n  b,\n} from 'lines';",
    'export { c } from "again";',
    'const d = await import("call");',
    'type E = import("inline").E;',
  ].join("\n");
  expect(importsOf(source).toSorted()).toEqual(["again", "bare", "call", "inline", "lines", "type"]);
});

test("no source of a package writes out the version that a release changes", () => {
  const { version } = manifestOf("packages/core");
  const code = [...published, "apps/demo"].flatMap((folder) => sourcesOf(folder, ["src"]));
  expect(code.filter((path) => !isTestFile(path) && read(path).includes(`"${version}"`))).toEqual([]);
});

test("the packages that are released together have one version, which all of them are built with", () => {
  const { fixed } = JSON.parse(read(".changeset/config.json"));
  const manifests = published.map((folder) => manifestOf(folder));
  expect(manifests.map(({ name }) => name).toSorted()).toEqual(fixed.flat().toSorted());
  expect(new Set(manifests.map((manifest) => manifest.version))).toEqual(new Set([releaseVersion()]));
});

test("the core depends on nothing, and imports nothing but itself", () => {
  const { dependencies, peerDependencies, optionalDependencies } = manifestOf("packages/core");
  expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
  const code = sourcesOf("packages/core", ["src"]).filter((path) => !isTestFile(path));
  expect(code.length).toBeGreaterThan(20);
  expect(code.flatMap((path) => importsOf(read(path)).filter((name) => !name.startsWith(".")))).toEqual([]);
});

test.each(published.filter((folder) => !knowsProtocol.has(folder)))("%s knows no protocol SDK", (folder) => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf(folder);
  expect(Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => protocolSdk.test(name))).toEqual([]);
  expect(importing(folder, ["src"], protocolSdk)).toEqual([]);
});

test("of the demo's programs, only the client that anybody could write knows a protocol SDK", () => {
  expect(importing("apps/demo", ["src"], protocolSdk)).toEqual(["apps/demo/src/resumption.ts"]);
});

test("the packages that speak the protocol do so", () => {
  for (const folder of knowsProtocol) expect(importing(folder, ["src"], protocolSdk)).not.toEqual([]);
});

test("an installation needs no SDK of the 2025 era: two files name it, of which one loads it where it is installed", () => {
  expect(manifestOf("packages/mcp").peerDependenciesMeta).toHaveProperty(
    ["@modelcontextprotocol/sdk", "optional"],
    true,
  );
  const naming = importing("packages/mcp", ["src"], /^@modelcontextprotocol\/sdk\//).filter(
    (path) => !isTestFile(path),
  );
  expect(naming).toEqual(["packages/mcp/src/era-2025/setup.ts", "packages/mcp/src/sdk-2025.ts"]);
});

test("the panel depends on nothing at run time, and only its connections know the protocol SDKs", () => {
  const { dependencies, peerDependencies, optionalDependencies } = manifestOf("packages/panel");
  expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
  const knowing = importing("packages/panel", ["src"], protocolSdk);
  expect(knowing.filter((path) => !path.startsWith("packages/panel/src/connection/"))).toEqual([]);
});

test("documents know nothing of tasks: they depend on no package of this repository", () => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf("packages/documents");
  expect(Object.keys({ ...dependencies, ...peerDependencies })).toEqual(["zod"]);
});

test("telemetry depends on the core and the API of OpenTelemetry, and bundles its SDK", () => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf("packages/telemetry");
  expect([Object.keys(dependencies), Object.keys(peerDependencies)]).toEqual([
    ["@resumable-mcp/core"],
    ["@opentelemetry/api"],
  ]);
});

test("what has to be one copy with the user's is a peer, of a bounded range, and a peer of all that need the package", () => {
  const manifests = new Map(published.map((folder) => [manifestOf(folder).name, manifestOf(folder)]));
  expect(manifests.get("@resumable-mcp/mcp")?.peerDependencies).toHaveProperty("zod");
  const all = [...manifests.values()];
  const ranges = all.flatMap(({ peerDependencies = {} }) => Object.values(peerDependencies));
  expect(ranges.filter((range) => !/^(?:workspace:|catalog:$|\^)|<\d/.test(range))).toEqual([]);
  const missing = all.flatMap(({ name, dependencies = {}, peerDependencies = {} }) =>
    Object.keys(dependencies).flatMap((needed) => {
      const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = manifests.get(needed) ?? {};
      const required = Object.keys(peers).filter((peer) => !(peer in meta));
      return required.filter((peer) => !(peer in { ...dependencies, ...peerDependencies })).map((peer) => [name, peer]);
    }),
  );
  expect(missing).toEqual([]);
});

test("the protocol depends on the core alone", () => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf("packages/protocol");
  expect(Object.keys({ ...dependencies, ...peerDependencies })).toEqual(["@resumable-mcp/core"]);
  const code = sourcesOf("packages/protocol", ["src"]).filter((path) => !isTestFile(path));
  const outside = (path: string) =>
    importsOf(read(path)).filter((name) => !/^\.|^@resumable-mcp\/core(\/|$)/.test(name));
  expect(code.flatMap((path) => outside(path).map((name) => [path, name]))).toEqual([
    ["packages/protocol/src/hosts.ts", "node:path"],
  ]);
});

test("the client draws nothing and asks no user: it knows no terminal, no React and no Ink", () => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf("packages/client");
  expect(Object.keys({ ...dependencies, ...peerDependencies })).toEqual([
    "@resumable-mcp/documents",
    "@resumable-mcp/protocol",
    "@resumable-mcp/telemetry",
    "zod",
    "@opentelemetry/api",
  ]);
  const terminal = /^(?:react|ink|@inkjs\/.*|node:readline.*|node:tty|@resumable-mcp\/client-tui)(?:\/|$)/;
  expect(importing("packages/client", ["src"], terminal)).toEqual([]);
  const code = sourcesOf("packages/client", ["src"]).filter((path) => !isTestFile(path));
  const writes = (path: string) => /^(?! \*).*(?:process\.(?:stdin|stdout|stderr)|console\.)/m.test(read(path));
  expect([code.length > 20, code.filter(writes)]).toEqual([true, []]);
});

test("the client is used in 15 lines", () => {
  const { code } = firstExample("packages/client", "js");
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
  expect(code).toContain('from "@resumable-mcp/client"');
});

test("no package reaches into the files of another", () => {
  const inside = workspaces.flatMap((folder) =>
    importing(
      folder,
      ["src"],
      /^@resumable-mcp\/[^/]+\/(?:src|dist)\b|^(?:\.\.\/)+(?:packages|apps|bench|conformance)\//,
    ),
  );
  expect(inside).toEqual([]);
});
