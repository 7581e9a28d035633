// Prints what docs/images/terminal.svg says of itself when it was drawn from the present terminal client: a digest of the
// sources of all that it shows.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../packages/client-tui/src/", import.meta.url));
const pictured = ["display", "ui/opening", "ui/board", "ui/parts"];

/** The comment in a picture of the present sources. */
export function pictureStamp() {
  const digest = createHash("sha256");
  for (const name of pictured.flatMap(sourcesIn)) digest.update(`${name}\n`).update(readFileSync(join(source, name)));
  return `drawn by npm run picture from sources ${digest.digest("hex").slice(0, 16)}`;
}

function sourcesIn(name) {
  const names = readdirSync(join(source, name)).filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));
  return names.sort().map((file) => `${name}/${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(pictureStamp());
