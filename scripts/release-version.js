import { readFileSync } from "node:fs";

/** The version of every package of the fixed group in `.changeset/config.json`, of which core is one. */
export function releaseVersion() {
  return JSON.parse(readFileSync(new URL("../packages/core/package.json", import.meta.url), "utf8")).version;
}
