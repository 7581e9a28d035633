import type { PackedProject } from "../../src/packed-project.js";

/** Compiles files of a folder as strictly as a careful user would. */
export async function compile(folder: PackedProject, files: readonly string[], options: object = {}): Promise<void> {
  const strict = { strict: true, noEmitOnError: true, skipLibCheck: true };
  const compilerOptions = { target: "ES2023", module: "NodeNext", types: ["node"], ...strict, ...options };
  const config = `tsconfig.${files.at(-1)}.json`;
  await folder.write(config, JSON.stringify({ compilerOptions, files }));
  await folder.run("tsc", "-p", config).succeeded();
}
