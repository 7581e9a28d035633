// Refuses a second type of a name that the packages below all others export, and exported functions that are called after a
// noun: `statusOf` is `readStatus`. One name means one thing, and a verb says what a function does.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { declaredNames, entriesOf, exportedNames } from "./entries.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const below = ["packages/core", "packages/protocol"];
const isType = (name) => /^[A-Z]/.test(name);
const types = new Set(below.flatMap((folder) => entriesOf(join(root, folder)).flatMap(exportedNames)).filter(isType));

const sources = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "packages/*/src/*.tsx", "apps/*/src/*.ts"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");
const seconds = sources
  .filter(
    (file) => file !== "" && existsSync(join(root, file)) && !below.some((folder) => file.startsWith(`${folder}/`)),
  )
  .flatMap((file) =>
    declaredNames(join(root, file))
      .filter((name) => types.has(name))
      .map((name) => `${file}: core or protocol has a type ${name} of another meaning; give this one its own name`),
  );
for (const sentence of seconds) process.stdout.write(`${sentence}\n`);
process.exitCode = seconds.length > 0 ? 1 : 0;
