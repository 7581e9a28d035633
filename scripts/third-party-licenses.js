// Writes the names and licences of the packages whose files went into a bundle next to it, as their licences require, and of those
// that they bundle themselves.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const bundledBefore = "dist/THIRD_PARTY_LICENSES";

/** A plugin of esbuild that writes the licences of what was bundled into a file. */
export function writeThirdPartyLicenses(file) {
  return {
    name: "third-party-licenses",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return;
        const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
        // tsup writes its own files after this.
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, await thirdPartyLicenses(bundled));
      });
    },
  };
}

/** The licences of the packages to which some files belong, as one text. */
export async function thirdPartyLicenses(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]);
  const notices = [...new Set(folders.filter((found) => found !== undefined))].map((found) => notice(resolve(found)));
  return [...new Set(await Promise.all(notices))].sort().join("\n");
}

async function notice(packageFolder) {
  const { name, version, license } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const names = (await readdir(packageFolder)).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
  if (existsSync(join(packageFolder, bundledBefore))) names.push(bundledBefore);
  const texts = await Promise.all(names.map((file) => readFile(join(packageFolder, file), "utf8")));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim()), ""].join("\n\n");
}
