import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { createProject } from "../../src/packed-project.js";

declare module "vitest" {
  interface ProvidedContext {
    readonly projectDirectory: string;
  }
}

/** Packs and installs once for all tests of this folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await createProject();
  project.provide("projectDirectory", directory);
  return () => rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
