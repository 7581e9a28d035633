// Prints what docs/images/terminal.svg says of itself when it was drawn from the present terminal client: a digest of the
// sources of all that it shows.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../packages/client-tui/src/", import.meta.url));
const pictured = ["display", "theme", "ui/opening", "ui/board", "ui/header.tsx", "ui/key-bar.tsx", "ui/task-row.tsx"];

/** The comment in a picture of the present sources. */
export function pictureStamp() {
  const digest = createHash("sha256");
  for (const name of pictured.flatMap(sourcesIn)) digest.update(`${name}\n`).update(readFileSync(join(source, name)));
  return `drawn by npm run picture from sources ${digest.digest("hex").slice(0, 16)}`;
}

function sourcesIn(name) {
  if (name.endsWith(".tsx")) return [name];
  const names = readdirSync(join(source, name)).filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));
  return names.sort().map((file) => `${name}/${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(pictureStamp());
