import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";

const manifest = z.object({ version: z.string() });

/** The version of an installed package, to the minor: patches do not make another client. */
export function versionOf(name: string): string {
  // Not every package lets its manifest be resolved.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => `${folder}/${name}/package.json`).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${name} is not installed. Run: npm run bootstrap`);
  const { version } = manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  return version.split(".").slice(0, 2).join(".");
}
