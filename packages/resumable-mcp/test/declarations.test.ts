import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

const packages = fileURLToPath(new URL("../..", import.meta.url));

const tools = `import { defineTool, type TaskContext } from "resumable-mcp";
import { z } from "zod";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ n: z.number() }),
  output: z.object({ counted: z.number() }),
  async *run({ n }) {
    yield { progress: n };
    return { counted: n };
  },
});
export const echo = defineTool({
  name: "echo",
  description: "Returns it.",
  input: { type: "object" },
  run: async (input) => input,
});
export const ask = (task: TaskContext) => task.ask("sure", { message: "Sure?", schema: z.object({ yes: z.boolean() }) });
export const map = (task: TaskContext) => task.map("sizes", ["a"], async (text) => text.length);
export default [count, echo];
`;

/** Folders, manifests and declarations. */
const isDeclaration = (path: string) =>
  /^[^.]*$|\.json$|\.d\.ts$/.test(basename(path)) && !path.endsWith("node_modules");

/** As pnpm installs it: what the package itself depends on is not in the project's reach. */
async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "declarations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = join(folder, "node_modules", ".pnpm", "node_modules");
  for (const name of ["core", "store-fs", "mcp", "command-line"])
    await cp(join(packages, name), join(store, "@resumable-mcp", name), { recursive: true, filter: isDeclaration });
  await cp(join(packages, "resumable-mcp"), join(store, "resumable-mcp"), { recursive: true, filter: isDeclaration });
  const links = { "resumable-mcp": join(store, "resumable-mcp"), zod: join(packages, "core", "node_modules", "zod") };
  for (const [name, target] of Object.entries(links))
    await symlink(target, join(folder, "node_modules", name), "junction");
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "tools.ts"), tools);
  return folder;
}

test("the types of tools have names in the declarations of an author who depends on this package alone", async () => {
  const folder = await project();
  const options = ["--declaration", "--emitDeclarationOnly", "--strict", "--skipLibCheck", "--pretty", "false"];
  const target = ["--target", "es2023", "--module", "nodenext", "--types", "", "tools.ts"];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, ...target], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe("");
  expect(await readFile(join(folder, "tools.d.ts"), "utf8")).toMatch(/const count: .*TypedTool</);
});
