import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProject } from "../src/create-project.js";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "create-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("writes every file of a project that has the name of its folder", async () => {
  const folder = join(await emptyFolder(), "My Tools");
  const { name, files } = await createProject(folder);
  expect(name).toBe("my-tools");
  expect(files.toSorted()).toEqual(
    [
      ".dockerignore",
      ".gitignore",
      "Dockerfile",
      "README.md",
      "package.json",
      "server.json",
      "src/tools.ts",
      "test/crash.test.ts",
      "tsconfig.json",
    ].toSorted(),
  );
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(manifest).toMatchObject({ name: "my-tools", dependencies: { "resumable-mcp": `^${version}` } });
  for (const file of files)
    expect(await readFile(join(folder, file), "utf8")).not.toMatch(/PROJECT_NAME|RELEASED_VERSION/);
});

test("refuses a folder that is not empty, and leaves it as it is", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "notes.txt"), "mine");
  await expect(createProject(folder)).rejects.toThrow(`${folder} is not empty (notes.txt). Choose another folder.`);
  expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("mine");
});

test.runIf(existsSync("/proc/self"))("refuses a folder where the system makes none", async () => {
  await expect(createProject("/proc/nope/a")).rejects.toThrow("ENOENT");
});

test("the versions of its dependencies are those that the packages are tested with", async () => {
  const catalog = await readFile(new URL("../../../pnpm-workspace.yaml", import.meta.url), "utf8");
  const text = await readFile(new URL("../template/package.json", import.meta.url), "utf8");
  const { dependencies, devDependencies } = JSON.parse(text);
  const { "resumable-mcp": own, ...others } = { ...dependencies, ...devDependencies };
  expect(own).toBe("^RELEASED_VERSION");
  for (const [name, range] of Object.entries<string>(others)) {
    expect(catalog).toMatch(new RegExp(`^  "?${name}"?: \\^?${range.slice(1).replaceAll(".", "\\.")}$`, "m"));
  }
});
